"""Says something: drafts in the plural, one transaction, one order of checks and of locks.

Checks: (authentication, at the face), shape, session readable, client key, everything else.
Locks: spending, clocks, seats, each by id. One refused draft never fails its batch.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db import transaction

from messaging.actions import show
from messaging.actions.compose import Composed, compose
from messaging.actions.draft import Draft, Outcome, Posted, Refusal
from messaging.actions.facts import Facts, gather
from messaging.actions.open_child import open_child
from messaging.actions.shape import check_shape
from messaging.actions.write import Written, write
from messaging.journal import metrics
from messaging.roster.spend import Purse
from messaging.transcript import build, fresh, unheard
from messaging.transcript.fresh import Stretch
from messaging.transcript.models import Message
from messaging.transcript.view import MessageView

log = logging.getLogger(__name__)
Decided = Composed | UUID | Refusal


def post(drafts: Sequence[Draft]) -> list[Outcome]:
    """Posts what can be posted and answers for each draft, in their order. What it raises has been rolled back."""
    with transaction.atomic():
        told: list[Stretch] = []
        # Before anything is written, so that it runs before the pokes: whoever is poked finds it there.
        transaction.on_commit(lambda: fresh.keep(told), robust=True)
        decided, purse = _decide(drafts)
        # All that is read is read before it is written, for the commit may travel along with that.
        views = _kept(decided)
        views |= _write([one for one in decided if isinstance(one, Composed)], purse, told)
    views = {UUID(view.id): view for view in unheard.told(list(views.values()))}
    outcomes = [_outcome(one, views) for one in decided]
    _count(outcomes)
    return outcomes


def post_one(draft: Draft) -> Posted:
    """Posts one draft. Raises Refusal."""
    outcome = post([draft])[0]
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


def _decide(drafts: Sequence[Draft]) -> tuple[list[Decided], Purse]:
    """What becomes of each: a new message, the one already kept under its key, or nothing; and what it costs."""
    shaped = [_shaped(draft) for draft in drafts]
    facts = gather([draft for draft, refused in zip(drafts, shaped, strict=True) if refused is None])
    return [refused or _compose(draft, facts) for draft, refused in zip(drafts, shaped, strict=True)], facts.purse


def _shaped(draft: Draft) -> Refusal | None:
    try:
        check_shape(draft)
    except Refusal as refusal:
        return refusal
    return None


def _compose(draft: Draft, facts: Facts) -> Decided:
    try:
        known = facts.authenticated(draft)
        return facts.repeat(known) or compose(known, facts)
    except Refusal as refusal:
        return refusal


def _write(ones: Sequence[Composed], purse: Purse, told: list[Stretch]) -> dict[UUID, MessageView]:
    """Writes the new ones; how they look, and what this process's open pages are told once it is committed."""
    views: dict[UUID, MessageView] = {}

    def keep(batch: Sequence[Written]) -> None:
        shown = [(written, show.view(written)) for written in batch]
        views.update({written.one.id: view for written, view in shown})
        told.extend(show.stretches(shown))

    if ones:
        write(ones, purse, keep)
    for one in ones:
        if one.child is not None:
            open_child(one, one.child, post)
    return views


def _kept(decided: Sequence[Decided]) -> dict[UUID, MessageView]:
    """Messages that drafts repeat, as far as they are not of this very batch."""
    ids = {one for one in decided if isinstance(one, UUID)}
    if not ids:
        return {}
    return {UUID(view.id): view for view in build.messages(build.joined(Message.objects.filter(id__in=ids)))}


def _outcome(one: Decided, views: Mapping[UUID, MessageView]) -> Outcome:
    match one:
        case Refusal():
            return one
        case Composed():
            return Posted(views[one.id], created=True)
    return Posted(views[one], created=False)


def _count(outcomes: Sequence[Outcome]) -> None:
    """What is posted is posted, whether it can be counted or not."""
    try:
        for outcome in outcomes:
            _count_one(outcome)
    except Exception:
        log.exception("posts could not be counted")


def _count_one(outcome: Outcome) -> None:
    if isinstance(outcome, Refusal):
        metrics.refusals.labels(outcome.code).inc()
    elif outcome.created:
        metrics.messages.labels(outcome.message.audience_kind, outcome.message.author.kind).inc()
        metrics.compat.inc(1 if outcome.message.compat else 0)
    else:
        metrics.repeats.inc()
