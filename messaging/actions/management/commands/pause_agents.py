"""`manage.py pause_agents [--resume]`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from messaging.actions.pause_agents import pause_agents, resume_agents


class Command(BaseCommand):
    """Has all hosted agents pause, or go on; prints which."""

    help = "Pause all hosted agents: what they are asked is kept. With --resume they go on with it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which way the switch goes."""
        parser.add_argument("--resume", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Doing it twice does no harm."""
        (resume_agents if options["resume"] else pause_agents)(None)
        self.stdout.write("going on" if options["resume"] else "paused")
