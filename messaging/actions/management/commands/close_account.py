"""`manage.py close_account HANDLE ...`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from messaging.actions.close_account import close_account
from messaging.actions.draft import Refusal
from messaging.roster.access import Hidden


class Command(BaseCommand):
    """Closes accounts, one after another; prints each handle."""

    help = "Close the accounts of these people: no sign-in, no token, what waits of theirs is rejected."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Handles of people."""
        parser.add_argument("handle", nargs="+")

    def handle(self, *args: Any, **options: Any) -> None:
        """The first that is refused ends the command."""
        for handle in options["handle"]:
            try:
                close_account(None, handle)
            except Hidden as error:
                raise CommandError(f"{handle} is no person here") from error
            except Refusal as error:
                raise CommandError(f"{handle}: {error.detail}") from error
            self.stdout.write(handle)
