"""`manage.py seed_demo [--tokens FILE]`: the demo cast and session; with a file, their tokens issued anew."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.db.models import Q

from messaging.actions.demo import PEOPLE, seed
from messaging.actions.issue_token import issue_token
from messaging.actions.revoke_token import revoke_token
from messaging.roster.models import Agent, Installation, Person, Session, Token


class Command(BaseCommand):
    """Seeds the demo; running it again changes nothing but reissued tokens."""

    help = "Make the demo cast and its session."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where tokens go, if anywhere."""
        parser.add_argument("--tokens", type=Path, help="write the cast's new tokens here, readable by you alone")

    def handle(self, *args: Any, **options: Any) -> None:
        """Seeds, then issues tokens where asked. Not where somebody else owns the place: its alex is staff."""
        owner = Installation.the().owner
        if owner is not None and owner.handle.spelled != PEOPLE[0][0]:
            raise CommandError(f"{owner.handle.spelled} owns this installation; the demo belongs in one of its own")
        session = seed()
        if options["tokens"]:
            _write(options["tokens"], session)
        self.stdout.write(f"The demo session is {session.slug}.")


@transaction.atomic
def _tokens() -> dict[str, str]:
    people = Person.objects.filter(handle__spelled__in=[handle for handle, *_ in PEOPLE]).select_related("handle")
    agents = Agent.objects.filter(handle__spelled__in=["mirror", "scout"]).select_related("handle")
    for token in Token.objects.filter(Q(person__in=people) | Q(agent__in=agents), revoked_at=None):
        revoke_token(None, token.id)
    owners: list[Person | Agent] = [*people, *agents]
    return {owner.handle.spelled: issue_token(owner) for owner in owners}


def _write(file: Path, session: Session) -> None:
    content = {
        "base_url": settings.ENVIRONMENT.address,
        "session": {"id": str(session.id), "slug": session.slug},
        "tokens": _tokens(),
    }
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        # The mode above is for a new file; an older one may have been open to everybody.
        os.fchmod(out.fileno(), 0o600)
        json.dump(content, out, indent=2)
