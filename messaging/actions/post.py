"""Says something: drafts in the plural, one transaction, one order of checks and of locks.

Checks: (authentication, at the face), shape, session readable, client key, everything else.
Locks: spending, clocks, seats, each by id. One refused draft never fails its batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from messaging.actions.compose import Composed, compose
from messaging.actions.draft import Draft, Outcome, Posted, Refusal
from messaging.actions.facts import Facts, gather
from messaging.actions.shape import check_shape
from messaging.actions.write import write
from messaging.journal import metrics
from messaging.transcript import build
from messaging.transcript.models import Message


def post(drafts: Sequence[Draft]) -> list[Outcome]:
    """Posts what can be posted and answers for each draft, in their order."""
    rows: list[Message | Refusal] = []
    fresh: set[UUID] = set()
    with transaction.atomic():
        rows = _decide(drafts, fresh)
    outcomes = _outcomes(rows, fresh)
    _count(outcomes)
    return outcomes


def post_one(draft: Draft) -> Posted:
    """Posts one draft. Raises Refusal."""
    outcome = post([draft])[0]
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


def _decide(drafts: Sequence[Draft], fresh: set[UUID]) -> list[Message | Refusal]:
    shaped = [_shaped(draft) for draft in drafts]
    facts = gather([draft for draft, refused in zip(drafts, shaped, strict=True) if refused is None])
    composed = [refused or _compose(draft, facts) for draft, refused in zip(drafts, shaped, strict=True)]
    ready = [one for one in composed if isinstance(one, Composed)]
    written = iter(write(ready, facts))
    fresh.update(one.id for one in ready)
    return [next(written) if isinstance(one, Composed) else one for one in composed]


def _shaped(draft: Draft) -> Refusal | None:
    try:
        check_shape(draft)
    except Refusal as refusal:
        return refusal
    return None


def _compose(draft: Draft, facts: Facts) -> Composed | Message | Refusal:
    try:
        return facts.repeat(draft) or compose(draft, facts)
    except Refusal as refusal:
        return refusal


def _outcomes(rows: Sequence[Message | Refusal], fresh: set[UUID]) -> list[Outcome]:
    ids = {row.id for row in rows if isinstance(row, Message)}
    kept = build.joined(Message.objects.filter(id__in=ids)) if ids else Message.objects.none()
    views = {view.id: view for view in build.messages(kept)}
    return [row if isinstance(row, Refusal) else Posted(views[str(row.id)], row.id in fresh) for row in rows]


def _count(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        if isinstance(outcome, Refusal):
            metrics.refusals.labels(outcome.code).inc()
        elif outcome.created:
            metrics.messages.labels(outcome.message.audience_kind, outcome.message.author.kind).inc()
            metrics.compat.inc(1 if outcome.message.compat else 0)
        else:
            metrics.repeats.inc()
