"""Closes a person's account, everywhere at once, and opens it again."""

from __future__ import annotations

from django.db import transaction

from messaging.actions import audit, everywhere, house_rights
from messaging.actions.draft import Refusal
from messaging.actions.reject import put_by, reject
from messaging.domain.audit import Verb
from messaging.roster.access import Hidden, Viewer
from messaging.roster.models import Account, Installation, Person


@transaction.atomic
def close_account(who: Viewer | None, handle: str) -> None:
    """The person can neither sign in nor use a token; what waits of theirs, undelivered, is rejected in every session.

    Their memberships and tokens stay, and are good again with the account. Closed already: nothing happens.
    who: one of the staff, None for the command line. Raises Forbidden, Hidden, or Refusal for the installation's owner.
    """
    by, person = house_rights.demand(who), _person(handle)
    held = everywhere.lock(person)
    if Installation.the().owner_id == person.id:
        raise Refusal(409, "owner", "The installation's owner keeps their account; give it another owner first.")
    if not _set(person, active=False):
        return
    for clock in held.values():
        reject(clock, "disabled", put_by(handle))
    audit.note(Verb.ACCOUNT, by, None, person.id, handle=handle, change="closed")


@transaction.atomic
def open_account(who: Viewer | None, handle: str) -> None:
    """The person can sign in again. What was rejected stays so. Raises as closing does."""
    by, person = house_rights.demand(who), _person(handle)
    if _set(person, active=True):
        audit.note(Verb.ACCOUNT, by, None, person.id, handle=handle, change="opened")


def _person(handle: str) -> Person:
    found = Person.objects.filter(handle__spelled=handle).select_related("handle").first()
    if found is None:
        raise Hidden
    if found.account_id is None:
        raise Refusal(409, "no_account", f"{handle} has no account.")
    return found


def _set(person: Person, *, active: bool) -> bool:
    """Whether that changed anything."""
    return bool(Account.objects.filter(person=person, is_active=not active).update(is_active=active))
