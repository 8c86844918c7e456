"""Issues a bearer token, which can be read in this moment alone."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from messaging.actions import audit
from messaging.domain.actor import HOUSE
from messaging.domain.audit import Verb
from messaging.roster import credentials
from messaging.roster.access import Caller
from messaging.roster.models import Agent, Person, Token


@transaction.atomic
def issue_token(owner: Person | Agent, by: Caller | str = HOUSE) -> str:
    """A new token for a person or an agent; only its hash is kept."""
    secret = credentials.issue(owner)
    audit.note(Verb.TOKEN, by, None, _id(secret), handle=owner.handle.spelled, change="issued")
    return secret


def _id(secret: str) -> UUID:
    return Token.objects.values_list("id", flat=True).get(hash=credentials.hashed(secret))
