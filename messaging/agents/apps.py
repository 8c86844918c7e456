"""The agents as a Django app of their own process; the house never installs it."""

from __future__ import annotations

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Raises the audit hook before the first connection."""

    name = "messaging.agents"
    label = "agents"

    def ready(self) -> None:
        """From here on no database but the walled one opens."""
        from messaging.agents import hook

        hook.install()
