"""Founds an installation: its owner, and a first session to speak in."""

from __future__ import annotations

import re

from django.db import transaction

from messaging.actions.open_session import check_title, open_session
from messaging.actions.own import own
from messaging.domain.handle import RESERVED_SLUGS, is_slug
from messaging.roster.models import Installation, Session


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
    return open_session(own(handle, name=name, email=email), title=title, slug=_slug(title))


def _slug(title: str) -> str:
    """A plain word where the title gives one that is free; otherwise nothing, and the session gets a random one."""
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40]
    free = slug not in RESERVED_SLUGS and not Session.objects.filter(slug=slug).exists()
    return slug if free and is_slug(slug) else ""
