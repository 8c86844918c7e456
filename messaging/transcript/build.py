"""Rows to views, each kind with one query however many rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from django.db.models import QuerySet

from messaging.domain.audience import Kind, to_words
from messaging.domain.dispatch import WITHIN
from messaging.mailbox.models import Attempt, Delivery, Seat, Transition, Turn
from messaging.mailbox.steer import steers
from messaging.roster.models import Session
from messaging.transcript.models import Addressee, Message
from messaging.transcript.view import AttemptView, AuthorView, DeliveryView, MessageView, SessionView, TurnView

SYSTEM = AuthorView("earshot", "system", "Earshot")


def joined(rows: QuerySet[Message]) -> QuerySet[Message]:
    """With what a view needs of the author."""
    return rows.select_related("person__handle", "agent__handle")


def messages(rows: Iterable[Message]) -> list[MessageView]:
    """The views of messages, with their deliveries."""
    rows = list(rows)
    fates: dict[UUID, list[Delivery]] = defaultdict(list)
    # What is for all people now may have been before an agent once; a direct message never was.
    bound = [row.id for row in rows if row.audience not in (Kind.PEOPLE, Kind.SYSTEM)]
    found = Delivery.objects.filter(message__in=bound) if bound else Delivery.objects.none()
    for delivery in found.select_related("seat").order_by("changed_at", "id"):
        fates[delivery.message].append(delivery)
    names = _names(rows) | _apart(rows)
    return [_message(row, fates[row.id], names.get(row.id, [])) for row in rows]


def _names(rows: Sequence[Message]) -> dict[UUID, list[str]]:
    """What those are called whom direct messages name."""
    direct = {row.id: row for row in rows if row.audience == Kind.PEOPLE}
    found = Addressee.objects.filter(message__in=direct).select_related("person__handle") if direct else []
    called: dict[UUID, dict[str, str]] = defaultdict(dict)
    for one in found:
        called[one.message_id][one.person.handle.spelled] = one.person.name
    return {key: [called[key].get(handle, handle) for handle in row.targets] for key, row in direct.items()}


def _apart(rows: Sequence[Message]) -> dict[UUID, list[str]]:
    """What the agents are called before whom nothing of it lies here: with whom a side session was opened, and whom the
    active agent is to ask at a person's wish."""
    opened = [row for row in rows if row.child or (row.dispatch in WITHIN and row.author_kind == "human")]
    sessions, handles = {row.session_id for row in opened}, {handle for row in opened for handle in row.targets}
    seats = Seat.objects.filter(session__in=sessions, handle__in=handles) if opened else []
    called = {(seat.session, seat.handle): seat.name for seat in seats}
    return {row.id: [called.get((row.session_id, handle), handle) for handle in row.targets] for row in opened}


def _message(row: Message, fates: Sequence[Delivery], names: list[str]) -> MessageView:
    gone = row.deleted_at is not None
    return MessageView(
        id=str(row.id),
        seq=row.seq,
        session=str(row.session_id),
        author=author(row),
        text="" if gone else row.text,
        audience=to_words(row.typed_audience),
        audience_kind=row.audience,
        targets=list(row.targets),
        to=list(row.to),
        compat=row.compat,
        on_behalf_of=row.on_behalf_of,
        reply_to=_id(row.reply_to_id),
        answers=_id(row.answers_id),
        mentions=[],
        source=dict(row.source),
        created_at=row.created_at,
        edited_at=row.edited_at,
        deleted_at=row.deleted_at,
        ever_delivered=any(fate.delivered_at for fate in fates),
        deliveries=[delivery_view(fate) for fate in fates],
        revision=row.revision,
        turn=_id(row.turn),
        dispatch=row.dispatch,
        child=_id(row.child),
        target_names=names,
    )


def _id(value: UUID | None) -> str | None:
    return str(value) if value else None


def author(row: Message) -> AuthorView:
    """Who said a message."""
    who = row.person or row.agent
    return AuthorView(who.handle.spelled, row.author_kind, who.name) if who else SYSTEM


def delivery_view(row: Delivery) -> DeliveryView:
    """A delivery as it stands."""
    return DeliveryView(
        str(row.id),
        row.seat.handle,
        row.seat.name,
        row.state,
        row.reason,
        row.retryable,
        _id(row.turn),
        row.changed_at,
        row.step,
        row.revision,
        row.withheld_at is not None,
        row.purpose,
    )


def step_view(step: Transition) -> DeliveryView:
    """A delivery as one step left it."""
    seat = step.delivery.seat
    return DeliveryView(
        str(step.delivery_id),
        seat.handle,
        seat.name,
        step.after,
        step.reason,
        step.retryable,
        _id(step.turn),
        step.at,
        step.step,
        step.delivery.revision,
        step.delivery.withheld_at is not None,
        step.delivery.purpose,
    )


def turns(rows: Iterable[Turn]) -> list[TurnView]:
    """Turns with their attempts. The rows bring seat and input along."""
    rows = list(rows)
    if not rows:
        return []
    tries: dict[UUID, list[Attempt]] = defaultdict(list)
    for row in Attempt.objects.filter(turn__in=[turn.id for turn in rows]).order_by("n"):
        tries[row.turn_id].append(row)
    taken: dict[UUID | None, list[str]] = defaultdict(list)
    for steer in steers(rows):
        taken[steer.turn].append(str(steer.message))
    return [_turn(row, tries[row.id], taken[row.id]) for row in rows]


def _turn(row: Turn, tries: Sequence[Attempt], taken: list[str]) -> TurnView:
    views = [AttemptView(a.n, a.state, a.reason, a.retryable, a.started_at, a.ended_at) for a in tries]
    return TurnView(
        str(row.id),
        row.seat.handle,
        row.state,
        row.reason,
        row.retryable,
        str(row.input.message),
        row.started_at,
        row.ended_at,
        views,
        row.window,
        taken,
    )


def turns_by_id(ids: Collection[UUID]) -> dict[UUID, TurnView]:
    """These turns as they stand."""
    if not ids:
        return {}
    return {UUID(view.id): view for view in turns(Turn.objects.filter(id__in=ids).select_related("seat", "input"))}


def session(row: Session) -> SessionView:
    """A session, brought along with its active agent's handle."""
    active = row.active_agent
    return SessionView(
        row.id,
        row.slug,
        row.title,
        active.handle.spelled if active else None,
        row.default_audience,
        row.answers,
        row.guests_public,
        row.roles,
        row.namespace,
        row.sources,
        row.created_at,
    )
