"""The actions as a Django app: commands, tasks, and what must exist from the start."""

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class ActionsConfig(AppConfig):
    """Makes the session `open` after the first migration."""

    name = "messaging.actions"
    label = "actions"

    def ready(self) -> None:
        """Connects what follows a migration."""
        from messaging.actions.open_session import after_migrate

        # Django tells only of apps with models that they have been migrated; this one has none.
        post_migrate.connect(after_migrate, sender=apps.get_app_config("roster"))
