"""Founds an installation: its owner, and a first session to speak in."""

from __future__ import annotations

from django.db import transaction

from messaging.actions import own as owning
from messaging.actions.open_session import check_title, free_slug, open_session
from messaging.roster.models import Handle, Installation, Session


class Owned(ValueError):
    """Somebody owns the installation already; `owner` is the handle."""

    def __init__(self, owner: str) -> None:
        super().__init__(f"{owner} owns this installation")
        self.owner = owner


@transaction.atomic
def found(handle: str, *, name: str = "", email: str = "", title: str = "Home") -> Session:
    """Makes the owner and opens their first session, in one. Raises Owned, Taken or ValidationError."""
    Installation.the()
    # The row is locked, so that of two who found at the same time one is told about the other.
    row = Installation.objects.select_for_update(of=("self",)).select_related("owner__handle").get(id=1)
    if row.owner is not None:
        raise Owned(row.owner.handle.spelled)
    title = check_title(title)
    return open_session(owning.own(handle, name=name, email=email), title=title, slug=free_slug(title))


def check(handle: str, *, name: str = "", email: str = "", title: str = "Home") -> None:
    """Raises ValidationError on what would not found even an empty installation; asks no database."""
    Handle.check_spelling(handle)
    owning.check(name, email)
    check_title(title)
