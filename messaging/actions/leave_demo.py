"""Leaves the demo: its people, tokens and session go out of use, and a person of one's own owns what stays."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from messaging.actions.close_account import close_account
from messaging.actions.close_session import close
from messaging.actions.demo import AGENTS, PEOPLE, SLUG
from messaging.actions.join import join
from messaging.actions.open_session import free_slug, open_session
from messaging.actions.own import own
from messaging.actions.revoke_token import revoke_token
from messaging.domain.actor import HOUSE
from messaging.domain.capability import Role
from messaging.journal import clock as clocks
from messaging.roster.models import Account, Agent, Membership, Person, Session, Token

HOME = "Home"
CAST = tuple(handle for handle, *_ in PEOPLE)


@dataclass(frozen=True, slots=True)
class Leaving:
    """What leaving does: the people, how many live tokens, and slugs of sessions that nobody else owns."""

    people: tuple[str, ...]
    tokens: int
    orphans: tuple[str, ...]


def plan() -> Leaving | None:
    """What leaving the demo would do now; None where there is no demo, or it has been left."""
    # Handles alone say little: somebody may be called alex. All of them together in their session are the demo.
    agents = Agent.objects.filter(handle__spelled__in=AGENTS).count()
    there = Session.objects.filter(slug=SLUG, closed_at=None, memberships__person__in=_people()).exists()
    if not there or (_people().count(), agents) != (len(CAST), len(AGENTS)):
        return None
    return Leaving(CAST, _tokens().count(), tuple(session.slug for session in _orphans()))


@transaction.atomic
def leave_demo(handle: str, *, name: str = "", email: str = "") -> Person:
    """Makes `handle` the owner and takes the demo out of use; no row is deleted. Raises Taken or ValidationError."""
    if handle in CAST:
        raise ValidationError({"handle": "belongs to the demo; name somebody of your own"})
    # The clocks come first: rights are read under them, and change under them.
    sessions = list(Membership.objects.filter(person__in=_people()).values_list("session", flat=True).distinct())
    clocks.lock(sessions)
    owner = own(handle, name=name, email=email)
    for session in _orphans():
        join(session, owner, Role.OWNER)
    Agent.objects.filter(owner__in=_people()).update(owner=owner)
    for token in _tokens():
        revoke_token(None, token.id)
    _close_session()
    _close_accounts()
    if not Membership.objects.filter(person=owner, left_at=None, session__closed_at=None).exists():
        # Nobody is to own a place and find themselves outside of every room in it.
        mirror = Agent.objects.select_related("handle").get(handle__spelled="mirror")
        open_session(owner, title=HOME, slug=free_slug(HOME), active_agent=mirror)
    return owner


def _close_session() -> None:
    session = Session.objects.get(slug=SLUG)
    # Joining has counted clocks up since they were locked, so this one is read again.
    close(clocks.lock([session.id])[session.id], session, HOUSE)


def _close_accounts() -> None:
    """After their session, where all that waits is rejected; elsewhere, what the cast has said is."""
    Account.objects.filter(person__in=_people()).update(is_staff=False, is_superuser=False)
    for person in _people().filter(account__isnull=False).select_related("handle"):
        close_account(None, person.handle.spelled)


def _people() -> QuerySet[Person]:
    return Person.objects.filter(handle__spelled__in=CAST)


def _tokens() -> QuerySet[Token]:
    people = Token.objects.filter(person__in=_people())
    return (people | Token.objects.filter(agent__handle__spelled__in=AGENTS)).filter(revoked_at=None)


def _orphans() -> list[Session]:
    """Open sessions that the cast alone owns, but for the demo's own."""
    owners = Membership.objects.filter(role=Role.OWNER, left_at=None)
    theirs = owners.filter(person__in=_people()).values("session")
    others = owners.exclude(person__in=_people()).values("session")
    rows = Session.objects.filter(id__in=theirs, closed_at=None).exclude(id__in=others).exclude(slug=SLUG)
    return list(rows.order_by("slug"))
