"""Makes people and agents known to the installation."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from messaging.domain.provider import PROVIDERS, fault
from messaging.domain.text import MAX_NAME
from messaging.roster.models import Account, Agent, Handle, Person

#: The characters of a field's name in a refusal: a setting's name is the caller's.
LONGEST_FIELD = 64


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
) -> Agent:
    """A new agent, hosted (with a provider and settings that fit it) or connected. Raises Taken or ValidationError."""
    if (kind == Agent.Kind.HOSTED) != bool(provider):
        raise ValidationError({"provider": "is for hosted agents, and they need one"})
    if provider and provider not in PROVIDERS:
        raise ValidationError({"provider": f"is not one of {', '.join(PROVIDERS)}"})
    found = fault(provider, settings or {}) if provider else None
    if found is not None:
        name, words = found
        raise ValidationError({f"settings.{name}"[:LONGEST_FIELD]: words})
    return Agent.objects.create(
        handle=take_handle(handle),
        name=(name or handle)[:MAX_NAME],
        kind=kind,
        provider=provider,
        settings=settings or {},
        owner=owner,
    )


def take_handle(handle: str) -> Handle:
    """Takes a handle for life. Raises Taken or ValidationError."""
    try:
        with transaction.atomic():
            return Handle.take(handle)
    except IntegrityError as error:
        raise Taken(f"{handle} is taken, or collides with a handle that is") from error
