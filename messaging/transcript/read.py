"""Reads the transcript for a viewer, who is every function's first argument and through whom all is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import QuerySet

from messaging.domain.disposition import WAITING
from messaging.mailbox import summaries
from messaging.mailbox.models import Delivery, Seat, Turn, Utterance
from messaging.mailbox.turns import at_work
from messaging.roster import access
from messaging.roster.access import AgentCaller, Hidden, Viewer
from messaging.roster.models import Session
from messaging.transcript import build, visible
from messaging.transcript.models import Message
from messaging.transcript.view import MailPage, MailRow, MessageView, Page, RecapView, TurnView

MAX_PAGE = 200
MOST_TURNS = 100
#: Numbered rows of a mailbox shown at once.
MOST_MAIL = 200


def page(
    viewer: Viewer,
    session: Session,
    *,
    after: int | None = None,
    before: int | None = None,
    limit: int = 50,
    only: str = "all",
) -> Page:
    """Messages of a session, ascending: those after a number, those before one, or (without either) the newest."""
    access.role(viewer, session)
    rows = visible.to(viewer, Message.objects.filter(visible.FILTERS[only], session=session))
    rows = rows.filter(seq__gt=after) if after is not None else rows
    rows = rows.filter(seq__lt=before) if before is not None else rows
    forward = after is not None
    limit = min(limit, MAX_PAGE)
    found = list(build.joined(rows).order_by("seq" if forward else "-seq")[: limit + 1])
    more, found = len(found) > limit, found[:limit]
    found = found if forward else found[::-1]
    edge = (found[-1] if forward else found[0]).seq if found else None
    return Page(build.messages(found), edge if more else None)


def row(viewer: Viewer, message: str | UUID) -> Message:
    """One message as it lies there, for what is done to it. Raises Hidden."""
    inside = {"session__memberships__person": viewer.id, "session__memberships__left_at": None}
    return _only(visible.to(viewer, _named(message).filter(**inside)))


def said_by(agent: AgentCaller, message: str | UUID) -> Message:
    """One of an agent's own messages, in a session where it has its seat. Raises Hidden."""
    inside = {"session__memberships__agent": agent.id, "session__memberships__left_at": None}
    return _only(_named(message).filter(agent=agent.id, **inside))


def _named(message: str | UUID) -> QuerySet[Message]:
    try:
        wanted = message if isinstance(message, UUID) else UUID(message)
    except ValueError:
        raise Hidden from None
    return Message.objects.filter(id=wanted, session__closed_at=None)


def _only(rows: QuerySet[Message]) -> Message:
    found = build.joined(rows).first()
    if found is None:
        raise Hidden
    return found


def message(viewer: Viewer, wanted: str | UUID) -> MessageView:
    """One message. Raises Hidden."""
    return build.messages([row(viewer, wanted)])[0]


def turns(viewer: Viewer, session: Session) -> list[TurnView]:
    """The session's newest turns, newest first. Their inputs are agent-bound, so all its people see them."""
    access.role(viewer, session)
    rows = Turn.objects.filter(seat__session=session.id).select_related("seat", "input")
    return build.turns(rows.order_by("-started_at", "id")[:MOST_TURNS])


def running(viewer: Viewer, session: Session) -> dict[str, str]:
    """The turns that are at work, each with its agent: they run, or nobody has collected their answer yet."""
    access.role(viewer, session)
    rows = at_work().filter(seat__session=session.id).values_list("id", "seat__handle")
    return {str(turn): agent for turn, agent in rows}


def mailbox(viewer: Viewer, session: Session, handle: str, before: int | None = None) -> MailPage:
    """A seat's mailbox exactly as it lies ("See as"): what it was shown and said, by its own numbers, then what waits.

    The newest stretch, or the one before a number. Raises Hidden for a viewer outside the session, or where no such
    seat is.
    """
    if not any(view.kind == "agent" and view.handle == handle for view in access.members(viewer, session)):
        raise Hidden
    seat = {"seat__session": session.id, "seat__handle": handle}
    older = {} if before is None else {"number__lt": before}
    heard = Delivery.objects.filter(number__isnull=False, **seat, **older).order_by("-number")[: MOST_MAIL + 1]
    said = Utterance.objects.filter(number__isnull=False, **seat, **older).order_by("-number")[: MOST_MAIL + 1]
    rows = [*map(_heard, heard), *_said(viewer, list(said))]
    rows.sort(key=lambda row: row.number or 0)
    kept = rows[-MOST_MAIL:]
    # What was withdrawn or refused waits no more, and its text may have been deleted since.
    waiting = Delivery.objects.filter(number=None, state__in=WAITING, **seat)
    waiting = waiting if before is None else waiting.none()
    unseen = [_heard(row) for row in waiting.order_by("-place")[:MOST_MAIL]][::-1]
    own = Seat.objects.filter(session=session.id, handle=handle).first()
    earlier = kept[0].number if len(rows) > MOST_MAIL else None
    return MailPage([*kept, *unseen], earlier, own.fresh_from if own else 0, _recaps(own) if own else [])


def _recaps(seat: Seat) -> list[RecapView]:
    """An empty one stands for what was taken back, and there is nothing to show of it."""
    return [RecapView(row.first, row.last, row.text) for row in summaries.told(seat) if row.text]


def _heard(row: Delivery) -> MailRow:
    withheld = row.withheld_at is not None
    return MailRow(
        row.number,
        "heard",
        str(row.message),
        row.author,
        row.author_kind,
        "" if withheld else row.text,
        withheld,
        row.said_at,
        row.state,
        author_name=row.author_name,
    )


def _said(viewer: Viewer, rows: Sequence[Utterance]) -> list[MailRow]:
    """What the seat said. A direct message of an agent lies there, too: its words are for those it names alone."""
    ids = [row.message for row in rows if row.kind == Utterance.Kind.POST and row.message is not None]
    mine = set(visible.to(viewer, Message.objects.filter(id__in=ids)).values_list("id", flat=True))
    return [_own(row, private=row.kind == Utterance.Kind.POST and row.message not in mine) for row in rows]


def _own(row: Utterance, *, private: bool) -> MailRow:
    withheld, id_ = row.withheld_at is not None, str(row.message or row.id)
    text = "" if private or withheld else row.text
    return MailRow(row.number, "said", id_, "", "agent", text, private or withheld, row.said_at, "", private)
