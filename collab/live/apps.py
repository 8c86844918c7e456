"""The sockets as a Django app."""

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out


class LiveConfig(AppConfig):
    """An ended login moves the installation's epoch, so that open sockets look at their rights again."""

    name = "collab.live"
    label = "live"

    def ready(self) -> None:
        """Connects the end of a login."""
        user_logged_out.connect(_ended, dispatch_uid="live.ended")


def _ended(**_: Any) -> None:
    from messaging.roster.models import Installation

    Installation.bump()
