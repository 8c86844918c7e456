"""The sockets as a Django app."""

from django.apps import AppConfig


class LiveConfig(AppConfig):
    """One hub a process, and a consumer for each socket."""

    name = "collab.live"
    label = "live"
