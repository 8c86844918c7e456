"""The transcript as a Django app."""

from django.apps import AppConfig


class TranscriptConfig(AppConfig):
    """Messages and who they are for."""

    name = "messaging.transcript"
    label = "transcript"
