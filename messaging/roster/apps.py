"""The roster as a Django app."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class RosterConfig(AppConfig):
    """People, agents, sessions, memberships, tokens."""

    name = "messaging.roster"
    label = "roster"

    def ready(self) -> None:
        """Epochs move by themselves, also where a migration has remade a table."""
        from messaging.roster import triggers

        post_migrate.connect(triggers.after_migrate, sender=self)
