"""Gives the installation to a person."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from messaging.actions import owners
from messaging.actions.adopt import adopt
from messaging.actions.enrol import add_person
from messaging.domain.text import MAX_NAME, BadText, check_characters
from messaging.roster.models import Account, Installation, Person


@transaction.atomic
def own(handle: str, *, name: str = "", email: str = "") -> Person:
    """Makes a person the owner, with an account of staff; one who is not there yet is added.

    `name` and `email` are for a new person. Raises Taken or ValidationError, with nothing changed.
    """
    check(name, email)
    person = _known(handle) or add_person(handle, name=name, email=email, staff=True)
    account = person.account
    if account is None or not account.is_active:
        raise ValidationError({"handle": "has no account that may sign in"})
    Account.objects.filter(id=account.id).update(is_staff=True, is_superuser=True)
    Installation.objects.filter(id=Installation.the().id).update(owner=person)
    owners.copy()
    return person


def _known(handle: str) -> Person | None:
    return Person.objects.select_related("account").filter(handle__spelled=handle).first() or adopt(handle)


def check(name: str, email: str) -> None:
    """Raises ValidationError on a name or an address that no owner could have."""
    try:
        check_characters(name)
    except BadText as error:
        raise ValidationError({"name": str(error)}) from error
    if len(name) > MAX_NAME:
        raise ValidationError({"name": f"holds at most {MAX_NAME} characters"})
    if email:
        try:
            validate_email(email)
        except ValidationError as error:
            raise ValidationError({"email": "is no address"}) from error
