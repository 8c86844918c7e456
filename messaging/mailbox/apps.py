"""The mailbox as a Django app; the agents' process has this one and its own alone."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class MailboxConfig(AppConfig):
    """Registers the database's own refusals index and grants, which follow every migration."""

    name = "messaging.mailbox"
    label = "mailbox"

    def ready(self) -> None:
        """A new column starts closed, and a remade table keeps its triggers."""
        from messaging.mailbox import grants, triggers, words

        post_migrate.connect(triggers.after_migrate, sender=self)
        post_migrate.connect(words.after_migrate, sender=self)
        post_migrate.connect(grants.after_migrate, sender=self)
