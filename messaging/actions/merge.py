"""Brings chosen messages of a side session or a fork back into the session that it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db import transaction

from messaging.actions import carry
from messaging.actions.draft import Refusal
from messaging.roster import access
from messaging.roster.access import Hidden, Viewer
from messaging.roster.models import Session
from messaging.transcript.view import MessageView


@transaction.atomic
def merge(  # noqa: PLR0913 -- each is one field of the request
    who: Viewer,
    session: Session,
    source: str,
    messages: Sequence[UUID],
    said: str | list[str],
    *,
    dispatch: str = "",
    reason: str = "",
    confirm: bool = False,
    seen: Mapping[UUID, int] | None = None,
) -> list[MessageView]:
    """The new messages, said by the caller for whoever said them there, all or none.

    said: who hears them here. seen: the revisions that were looked at, of what is confirmed. Raises Refusal: 422 on
    `source` where it did not come from this session, on `messages`, `reason`, and whatever a post is refused for; 409
    `confirm_required`; Forbidden where people's own words may not be brought before agents.
    """
    other = _source(who, session, source)
    if not messages:
        raise Refusal.shape("messages", "names at least one")
    rows = carry.chosen(who, other, messages)
    widened = carry.widens(rows, said)
    carry.demand_widening(who, other, widened, reason, confirm=confirm, seen=seen)
    carry.on_record(who, widened, session, reason)
    return carry.carry(who, rows, session, said, dispatch, via="merge")


def _source(who: Viewer, session: Session, name: str) -> Session:
    try:
        found = access.session(who, name)
    except Hidden:
        found = None
    if found is None or session.id not in (found.parent_id, found.fork_of_id):
        raise Refusal.shape("source", "is no side session or fork of this one that you are in")
    return found
