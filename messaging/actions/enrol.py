"""Makes people and agents known to the installation."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction

from messaging.actions import audit, terms
from messaging.domain.actor import HOUSE
from messaging.domain.audit import Verb
from messaging.domain.text import MAX_NAME
from messaging.roster.access import Caller
from messaging.roster.models import Account, Agent, Handle, Person


class Taken(ValueError):
    """The handle, or one that collides with it, belongs to somebody already."""


@transaction.atomic
def add_person(handle: str, *, name: str = "", email: str = "", staff: bool = False) -> Person:
    """A new person with an account that has no password yet. Raises Taken or ValidationError."""
    taken = take_handle(handle)
    if Account.objects.filter(username=handle).exists():
        raise Taken(f"{handle} is an account that has no person yet; issue_token makes its person")
    account = Account(username=handle, email=email, is_staff=staff, is_superuser=staff)
    account.set_unusable_password()
    account.save()
    return Person.objects.create(handle=taken, name=(name or handle)[:MAX_NAME], email=email, account=account)


@transaction.atomic
def add_agent(
    handle: str,
    *,
    kind: str,
    name: str = "",
    provider: str = "",
    settings: dict[str, Any] | None = None,
    owner: Person | None = None,
    by: Caller | str = HOUSE,
    **kept_to: Any,
) -> Agent:
    """A new agent, hosted (with a provider and settings that fit it) or connected. Raises Taken or ValidationError.

    by: who adds it, for the audit log; kept_to: `modes`, `namespaces`, `tools`, `sources`, `placement`,
    `turns_a_day`, `tokens_a_day`.
    """
    agent = Agent(
        name=(name or handle)[:MAX_NAME], kind=kind, provider=provider, settings=settings or {}, owner=owner, **kept_to
    )
    terms.check(agent)
    agent.handle = take_handle(handle)
    agent.save(force_insert=True)
    audit.note(Verb.AGENT, by, None, agent.id, handle=handle, change="added")
    return agent


def take_handle(handle: str) -> Handle:
    """Takes a handle for life. Raises Taken or ValidationError."""
    try:
        with transaction.atomic():
            return Handle.take(handle)
    except IntegrityError as error:
        raise Taken(f"{handle} is taken, or collides with a handle that is") from error
