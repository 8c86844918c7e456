"""`./manage.py issue_token HANDLE ...`: prints a bearer token once; only its hash is stored."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from messaging.roster.credentials import issue
from messaging.roster.models import Handle


class Command(BaseCommand):
    """Issues tokens, one a line."""

    help = "Issue a bearer token for each of these people or agents; one token a line."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Handles of people or agents."""
        parser.add_argument("handle", nargs="+")

    def handle(self, *args: Any, **options: Any) -> None:
        """Looks all up before it issues any."""
        owners = [self._owner(handle) for handle in options["handle"]]
        for owner in owners:
            self.stdout.write(issue(owner))

    def _owner(self, handle: str) -> Any:
        row = Handle.objects.filter(spelled=handle).select_related("person", "agent").first()
        owner = getattr(row, "person", None) or getattr(row, "agent", None)
        if owner is None:
            raise CommandError(f"{handle} is nobody here; add_person adds people")
        return owner
