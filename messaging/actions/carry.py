"""Messages that are carried from one session into another: as new ones, by whoever carries them.

What agents were shown there goes along by itself. What people said among themselves goes where agents hear it only by
explicit choice, with a reason and a confirmation, as if it were reclassified; direct messages never.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from messaging.actions.audit import note
from messaging.actions.draft import Draft, Outcome, Refusal
from messaging.actions.post import post
from messaging.actions.shape import check_reason, named
from messaging.domain.audience import AGENT_BOUND, Kind, People, System, is_agent_bound
from messaging.domain.audit import Verb
from messaging.domain.capability import Capability
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import Session
from messaging.transcript import build, visible
from messaging.transcript.models import Message
from messaging.transcript.view import MessageView

#: Messages that are carried at once.
MOST = 200


def chosen(who: Viewer, session: Session, ids: Sequence[UUID]) -> list[Message]:
    """These messages of a session, in its order, as far as they may be carried. Raises Refusal (422 on `messages`)."""
    if len(ids) > MOST:
        raise Refusal.shape("messages", f"names at most {MOST}")
    seen = visible.to(who, build.joined(Message.objects.filter(session=session, id__in=ids, deleted_at=None)))
    rows = list(seen.order_by("seq"))
    if len(rows) != len(set(ids)):
        raise Refusal.shape("messages", "names what you cannot see there")
    if any(isinstance(row.typed_audience, People | System) for row in rows):
        raise Refusal.shape("messages", "names a direct message, or one of the server's, which go nowhere")
    return rows


def demand_widening(
    who: Viewer,
    session: Session,
    rows: Sequence[Message],
    reason: str,
    *,
    confirm: bool,
    seen: Mapping[UUID, int] | None = None,
) -> None:
    """What people said among themselves is to be heard by agents. Raises Forbidden, or Refusal (422, 409).

    seen: the revisions that the caller had before them, where they say so: nothing else is confirmed.
    """
    own_words = [row for row in rows if row.audience == Kind.PARTICIPANTS]
    if not own_words:
        return
    check_reason(reason)
    for row in own_words:
        access.demand(who, session, Capability.RECLASSIFY, own=row.person_id == who.id)
    unseen = seen is not None and any(seen.get(row.id) != row.revision for row in own_words)
    if not confirm or unseen:
        raise Refusal(409, "confirm_required", "An agent would hear this. Say that it is meant to.", "confirm")


def carry(
    who: Viewer, rows: Sequence[Message], into: Session, said: str | list[str], dispatch: str = "", *, via: str
) -> list[MessageView]:
    """Posts them there, in order. Whoever said one is named as whom it is said for, unverified. Raises Refusal.

    via: `fork` or `merge`. Call it in a transaction: one that is refused takes the others along.
    """
    drafts = [
        Draft(
            who,
            into.id,
            row.text,
            said,
            dispatch,
            on_behalf_of=row.on_behalf_of if row.person_id == who.id else build.author(row).id,
            source={"client": via},
            carried=True,
        )
        for row in rows
    ]
    return [_taken(outcome) for outcome in post(drafts)] if drafts else []


def _taken(outcome: Outcome) -> MessageView:
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome.message


def on_record(who: Viewer, rows: Sequence[Message], into: Session, reason: str) -> None:
    """Each message that people said among themselves is one that somebody brought before agents."""
    for row in rows:
        if row.audience not in AGENT_BOUND:
            note(
                Verb.RECLASSIFIED, who, row.session_id, row.id,
                before=row.audience, after="everyone", reason=reason, revision=row.revision, into=str(into.id),
            )  # fmt: skip


def widens(rows: Sequence[Message], said: str | list[str]) -> list[Message]:
    """Those of them that agents have not been meant to hear, and would."""
    return [row for row in rows if row.audience not in AGENT_BOUND] if is_agent_bound(named(said)) else []
