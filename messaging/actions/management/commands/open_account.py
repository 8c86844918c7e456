"""`manage.py open_account HANDLE ...`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from messaging.actions.close_account import open_account
from messaging.actions.draft import Refusal
from messaging.roster.access import Hidden


class Command(BaseCommand):
    """Opens accounts, one after another; prints each handle."""

    help = "Open the accounts of these people again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Handles of people."""
        parser.add_argument("handle", nargs="+")

    def handle(self, *args: Any, **options: Any) -> None:
        """The first that is refused ends the command."""
        for handle in options["handle"]:
            try:
                open_account(None, handle)
            except Hidden as error:
                raise CommandError(f"{handle} is no person here") from error
            except Refusal as error:
                raise CommandError(f"{handle}: {error.detail}") from error
            self.stdout.write(handle)
