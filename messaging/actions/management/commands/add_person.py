"""`manage.py add_person HANDLE [--name N] [--email E] [--staff]`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from messaging.actions.enrol import Taken, add_person
from messaging.actions.management.refusal import refused


class Command(BaseCommand):
    """Adds people; prints each handle."""

    help = "Add one or several people to the installation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Several handles share the options, so name and e-mail go with a single one."""
        parser.add_argument("handle", nargs="+")
        parser.add_argument("--name", default="")
        parser.add_argument("--email", default="")
        parser.add_argument("--staff", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Adds them one after another; the first refused one ends the command."""
        if len(options["handle"]) > 1 and (options["name"] or options["email"]):
            raise CommandError("--name and --email go with one handle")
        for handle in options["handle"]:
            try:
                add_person(handle, name=options["name"], email=options["email"], staff=options["staff"])
            except (Taken, ValidationError) as error:
                raise refused(handle, error) from error
            self.stdout.write(handle)
