"""A message's trail: its texts, whom it was for, and every step that it took before each agent. Viewer first."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from messaging.domain.audience import Kind, from_stored, to_words
from messaging.domain.turn import TurnState
from messaging.mailbox.models import Delivery, Transition, TurnStep
from messaging.roster.access import Viewer
from messaging.transcript import read
from messaging.transcript.build import author
from messaging.transcript.models import Message, Reclassification, Revision, Tombstone
from messaging.transcript.view import HistoryRow


def history(viewer: Viewer, wanted: str | UUID) -> list[HistoryRow]:
    """All of it that the viewer may see, oldest first. Raises Hidden.

    What happened in one moment comes in this order: to the message, then before each agent, step by step.
    """
    row = read.row(viewer, wanted)
    rows = [*_revisions(viewer, row), *_reclassifications(row), *_deletion(row), *_steps(row), *_ends(row)]
    return sorted(rows, key=lambda one: one.at)


def _revisions(viewer: Viewer, row: Message) -> Iterator[HistoryRow]:
    """Its texts, without their words once it is deleted. Number 1 is there as soon as there is another.

    What a direct message was before it was opened to all is known to its author alone: that is when others came to see
    it, and what they see is what it said from then on.
    """
    opened = Reclassification.objects.filter(message=row, before=Kind.PEOPLE).values_list("revision", flat=True).first()
    first = 1 if opened is None or row.person_id == viewer.id else opened
    for one in Revision.objects.filter(message=row, n__gte=first).order_by("n"):
        text = "" if row.deleted_at is not None else one.text
        yield HistoryRow(one.at, "revision", "", "", author(row).id, "", retryable=False, n=one.n, text=text)


def _reclassifications(row: Message) -> Iterator[HistoryRow]:
    for one in Reclassification.objects.filter(message=row).select_related("by__handle").order_by("at"):
        yield HistoryRow(
            one.at,
            "reclassification",
            "",
            one.reason,
            one.by.handle.spelled,
            "",
            retryable=False,
            n=one.revision,
            before=to_words(from_stored(one.before, tuple(one.before_targets))),
            after=to_words(from_stored(one.after, tuple(one.after_targets))),
        )


def _deletion(row: Message) -> Iterator[HistoryRow]:
    for one in Tombstone.objects.filter(message=row).select_related("by__handle"):
        yield HistoryRow(one.at, "deleted", "", one.reason, one.by.handle.spelled, "", retryable=False)


def _ends(row: Message) -> Iterator[HistoryRow]:
    """Turns that took it in and ended without an answer, and who ended them."""
    taken = Delivery.objects.filter(message=row.id, delivered_at__isnull=False, turn__isnull=False)
    steps = TurnStep.objects.filter(turn__in=taken.values("turn"), after__in=(TurnState.STOPPED, TurnState.FAILED))
    for step in steps.select_related("turn__seat").order_by("at"):
        turn = step.turn
        yield HistoryRow(step.at, "turn", step.after, step.reason, step.by, turn.seat.handle, turn.retryable)


def _steps(row: Message) -> Iterator[HistoryRow]:
    steps = Transition.objects.filter(delivery__message=row.id).select_related("delivery__seat")
    for step in steps.order_by("delivery__seat__handle", "delivery__place", "delivery__revision", "step"):
        agent = step.delivery.seat.handle
        yield HistoryRow(
            step.at, "disposition", step.after, step.reason, step.by, agent, step.retryable, n=step.delivery.revision
        )
