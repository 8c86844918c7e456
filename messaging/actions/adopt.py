"""Gives an account its person: for accounts that Django's own commands made, such as `createsuperuser`."""

from __future__ import annotations

from django.db import transaction

from messaging.actions.enrol import take_handle
from messaging.domain.text import MAX_NAME
from messaging.roster.models import Account, Person


@transaction.atomic
def adopt(username: str) -> Person | None:
    """The person of an account, made now if it had none; None without such an account.

    The user name becomes the handle. Raises Taken or ValidationError where it cannot.
    """
    account = Account.objects.select_for_update().filter(username=username).first()
    if account is None:
        return None
    return Person.objects.filter(account=account).first() or _person(account)


def _person(account: Account) -> Person:
    handle = account.username
    taken = take_handle(handle)
    name = account.get_full_name() or handle
    return Person.objects.create(handle=taken, name=name[:MAX_NAME], email=account.email, account=account)
