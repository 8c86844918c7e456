"""Says something: drafts in the plural, one transaction, one order of checks and of locks.

Checks: (authentication, at the face), shape, session readable, client key, everything else.
Locks: spending, clocks, seats, each by id. One refused draft never fails its batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from messaging.transcript.view import MessageView


def post(drafts: Sequence[Draft]) -> list[Outcome]:
    """Posts what can be posted and answers for each draft, in their order."""
    with transaction.atomic():
        decided = _decide(drafts)
    outcomes = _outcomes(decided)
    _count(outcomes)
    return outcomes


def post_one(draft: Draft) -> Posted:
    """Posts one draft. Raises Refusal."""
    outcome = post([draft])[0]
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


def _decide(drafts: Sequence[Draft]) -> list[Composed | UUID | Refusal]:
    """What becomes of each: a new message, the one already kept under its key, or nothing."""
    shaped = [_shaped(draft) for draft in drafts]
    facts = gather([draft for draft, refused in zip(drafts, shaped, strict=True) if refused is None])
    decided = [refused or _compose(draft, facts) for draft, refused in zip(drafts, shaped, strict=True)]
    write([one for one in decided if isinstance(one, Composed)], facts)
    return decided


def _shaped(draft: Draft) -> Refusal | None:
    try:
        check_shape(draft)
    except Refusal as refusal:
        return refusal
    return None


def _compose(draft: Draft, facts: Facts) -> Composed | UUID | Refusal:
    try:
        return facts.repeat(draft) or compose(draft, facts)
    except Refusal as refusal:
        return refusal


def _outcomes(decided: Sequence[Composed | UUID | Refusal]) -> list[Outcome]:
    ids = {one.id if isinstance(one, Composed) else one for one in decided if not isinstance(one, Refusal)}
    kept = build.joined(Message.objects.filter(id__in=ids)) if ids else Message.objects.none()
    views = {view.id: view for view in build.messages(kept)}
    return [_outcome(one, views) for one in decided]


def _outcome(one: Composed | UUID | Refusal, views: Mapping[str, MessageView]) -> Outcome:
    match one:
        case Refusal():
            return one
        case Composed():
            return Posted(views[str(one.id)], created=True)
    return Posted(views[str(one)], created=False)


def _count(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        if isinstance(outcome, Refusal):
            metrics.refusals.labels(outcome.code).inc()
        elif outcome.created:
            metrics.messages.labels(outcome.message.audience_kind, outcome.message.author.kind).inc()
            metrics.compat.inc(1 if outcome.message.compat else 0)
        else:
            metrics.repeats.inc()
