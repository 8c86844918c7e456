"""From a bearer token to who calls. Only hashes are stored; a token is good for this server alone."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable

from messaging.roster.access import Caller, caller_of, viewer_of
from messaging.roster.models import Agent, Installation, Person, Token

PREFIX = "ear_"


def hashed(secret: str) -> str:
    """What is stored of a secret of ours: they are long and random, so one plain hash will do."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def issue(owner: Person | Agent) -> str:
    """A new token for a person or an agent, in the only moment in which it can be read."""
    secret = PREFIX + secrets.token_urlsafe(32)
    Token.objects.create(
        hash=hashed(secret),
        person=owner if isinstance(owner, Person) else None,
        agent=owner if isinstance(owner, Agent) else None,
    )
    return secret


def caller(secret: str) -> Caller | None:
    """Who holds this token; None for an unknown or revoked one, a disabled account or agent."""
    return holders([hashed(secret)]).get(hashed(secret))


def holders(hashes: Iterable[str]) -> dict[str, Caller]:
    """Who holds these tokens, by their hashes: one query. Those that are good for nobody are left out."""
    rows = Token.objects.filter(hash__in=set(hashes), revoked_at=None).select_related(
        "person__handle", "person__account", "agent__handle"
    )
    found = {row.hash: _holder(row) for row in rows}
    return {token: who for token, who in found.items() if who is not None}


def _holder(token: Token) -> Caller | None:
    if token.agent is not None:
        return caller_of(token.agent) if token.agent.enabled else None
    person = token.person
    return viewer_of(person) if person and (person.account is None or person.account.is_active) else None


def unrevoked(hashes: Iterable[str]) -> set[str]:
    """Which of these tokens, by their hashes, are still good: one query at most."""
    wanted = set(hashes)
    rows = Token.objects.filter(hash__in=wanted, revoked_at=None) if wanted else Token.objects.none()
    return set(rows.values_list("hash", flat=True))


def is_owner(who: Caller) -> bool:
    """Whether this is the installation's owner."""
    return who.kind == "human" and Installation.the().owner_id == who.id


def keeps_house(who: Caller) -> bool:
    """Whether this person keeps the installation: its owner, or staff."""
    return is_owner(who) or Person.objects.filter(id=who.id, account__is_staff=True, account__is_active=True).exists()
