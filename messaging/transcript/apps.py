"""The transcript as a Django app."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class TranscriptConfig(AppConfig):
    """Messages and who they are for."""

    name = "messaging.transcript"
    label = "transcript"

    def ready(self) -> None:
        """The audit log only grows, also where a migration has remade its table."""
        from messaging.transcript import triggers

        post_migrate.connect(triggers.after_migrate, sender=self)
