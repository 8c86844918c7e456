"""One-time sign-in links: made by who runs the installation, redeemed once."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from messaging.roster.credentials import hashed
from messaging.roster.models import Account, Person, SignInLink

VALID = timedelta(minutes=15)


def new_link(handle: str) -> str:
    """A fresh code for a person's sign-in link, good once and for 15 minutes. Raises Person.DoesNotExist."""
    person = Person.objects.get(handle__spelled=handle)
    code = secrets.token_urlsafe(24)
    SignInLink.objects.create(hash=hashed(code), person=person, expires_at=timezone.now() + VALID)
    return code


def holder(code: str) -> Person | None:
    """Whom a code would sign in, without using it up: for the page that asks before it does."""
    link = (
        SignInLink.objects.select_related("person__handle")
        .filter(hash=hashed(code), used_at=None, expires_at__gt=timezone.now(), person__account__is_active=True)
        .first()
    )
    return link.person if link else None


@transaction.atomic
def redeem(code: str) -> Account | None:
    """Uses a code up and answers with the account to log in; None for one unknown, used or expired."""
    now = timezone.now()
    used = SignInLink.objects.filter(hash=hashed(code), used_at=None, expires_at__gt=now).update(used_at=now)
    link = SignInLink.objects.select_related("person__account").filter(hash=hashed(code)).first() if used else None
    account = link.person.account if link else None
    return account if account and account.is_active else None
