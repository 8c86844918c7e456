"""The journal as a Django app."""

from django.apps import AppConfig


class JournalConfig(AppConfig):
    """Clocks and entries."""

    name = "messaging.journal"
    label = "journal"
