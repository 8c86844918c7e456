"""`manage.py issue_token HANDLE ...`: prints a bearer token once; only its hash is stored.

An account that Django's own commands made (`createsuperuser`) has no person yet: it gets one here, under its user name.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from messaging.actions.adopt import adopt
from messaging.actions.enrol import Taken
from messaging.actions.issue_token import issue_token
from messaging.actions.management.refusal import refused
from messaging.roster.models import Agent, Handle, Person


class Command(BaseCommand):
    """Issues tokens, one a line."""

    help = "Issue a bearer token for each of these people or agents; one token a line."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Handles of people or agents."""
        parser.add_argument("handle", nargs="+")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        """Looks all up before it issues any; where one is refused, nothing has changed."""
        owners = [self._owner(handle) for handle in options["handle"]]
        for owner in owners:
            self.stdout.write(issue_token(owner))

    def _owner(self, handle: str) -> Person | Agent:
        try:
            owner = self._known(handle) or adopt(handle)
        except (Taken, ValidationError) as error:
            raise refused(handle, error) from error
        if owner is None:
            raise CommandError(f"{handle} is nobody here; add_person adds people")
        return owner

    def _known(self, handle: str) -> Person | Agent | None:
        row = Handle.objects.filter(spelled=handle).select_related("person", "agent").first()
        return getattr(row, "person", None) or getattr(row, "agent", None)
