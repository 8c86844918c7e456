"""Makes the house's queue the one that its tasks go to, in every process under the house's settings."""

from django.apps import AppConfig


class ProcessesConfig(AppConfig):
    """The queue, loaded with Django."""

    name = "collab.processes"

    def ready(self) -> None:
        """Load the queue, so that shared tasks find it."""
        from collab import celery  # noqa: F401
