"""Changes who may hear a message: a deed of its own, with a right, a reason and, towards agents, a confirmation.

This message in its current revision alone. What an agent was shown stays on record; whom it is no longer for is not
shown it again.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from messaging.actions import parent
from messaging.actions.audit import note
from messaging.actions.clear import go_on
from messaging.actions.compose import check_dispatch, seats_for
from messaging.actions.draft import Refusal
from messaging.actions.entitle import drop_lost
from messaging.actions.put_again import draft_of, put_again
from messaging.actions.shape import check_reason, check_shape, named
from messaging.actions.subject import Subject, hold
from messaging.actions.take_back import KEEP, Wish, along, each, hush, on_record
from messaging.actions.withdraw import withdraw
from messaging.domain.audience import Agents, Audience, Participants, People, System, is_agent_bound, to_words
from messaging.domain.audit import Verb
from messaging.domain.capability import Capability, needed
from messaging.domain.compat import tells_of
from messaging.journal.models import Kind
from messaging.mailbox.models import Delivery, Purpose, Seat
from messaging.mailbox.withhold import withhold, withhold_said
from messaging.roster.access import Forbidden, Viewer
from messaging.transcript.models import Addressee, Reclassification
from messaging.transcript.view import MessageView


@transaction.atomic
def reclassify(  # noqa: PLR0913 -- each is one field of the request
    who: Viewer,
    message: str | UUID,
    said: str | list[str],
    reason: str,
    *,
    confirm: bool = False,
    dispatch: str = "",
    revision: int | None = None,
    token: str = "",
    answers: Wish = KEEP,
) -> MessageView:
    """The message for its new audience.

    answers: whether what agents answered to it becomes people only along with it, and what they are about to answer is
    not said; for `participants` alone. Raises Hidden; Forbidden; Refusal: 422 on `audience`, `dispatch`, `reason` or
    `answers`, 413 and 429 as a post, and 409: `deleted`, `conflict` (another revision, or nothing would change),
    `confirm_required`.
    """
    audience = _wanted(said)
    check_reason(reason)
    if answers != KEEP and not isinstance(audience, Participants):
        raise Refusal.shape("answers", "are taken back only where a message becomes people only")
    about = hold(who, message, token)
    _may(about, audience)
    about.must_stand(revision)
    if about.row.typed_audience == audience:
        raise Refusal(409, "conflict", "It is for them already.", "audience")
    if is_agent_bound(audience) and not confirm:
        raise Refusal(409, "confirm_required", "An agent would hear this. Say that it is meant to.", "confirm")
    seats = _seats(about, audience, said, dispatch)
    found = along(about, answers, Capability.RECLASSIFY, heard=True)
    hush(about, found)
    _write(about, audience, reason, seats, **on_record(found))
    for one in each(about, found):
        _for_people(one, reason, about.row.id)
    drop_lost(about.room.clock)
    go_on(about.room.clock)
    return about.view()


def _wanted(said: str | list[str]) -> Audience:
    audience = named(said)
    if isinstance(audience, People):
        raise Refusal.shape("audience", "cannot shrink to single people: others have seen it; delete it and write anew")
    return audience


def _may(about: Subject, audience: Audience) -> None:
    was = about.row.typed_audience
    if isinstance(was, System):
        raise Forbidden("not_yours", "What the server says stays as it is.", Capability.RECLASSIFY)
    if isinstance(was, People):
        about.only_author(Capability.RECLASSIFY)
    about.demand(Capability.RECLASSIFY)
    about.room.demand(about.who, needed(audience))


def _seats(about: Subject, audience: Audience, said: str | list[str], dispatch: str) -> list[tuple[Seat, Purpose]]:
    """The seats that hear it now. Raises Refusal where the message could not be posted to them."""
    draft = draft_of(about.row, said, dispatch)
    check_shape(draft)
    check_dispatch(draft, audience)
    return seats_for(draft, audience, about.room)


def _for_people(about: Subject, reason: str, question: UUID) -> None:
    """An answer, which may have been for people alone from the start: then only its agent still has it."""
    if about.row.typed_audience != Participants():
        _write(about, Participants(), reason, [], answer_to=question)
        return
    withhold_said(about.row.id, about.row.turn)
    _note(about, Participants(), Participants(), reason, answer_to=question)


def _write(about: Subject, audience: Audience, reason: str, seats: list[tuple[Seat, Purpose]], **detail: Any) -> None:
    row, was = about.row, about.row.typed_audience
    deed = _deed(about, audience, reason)
    withdrawn = withdraw(Q(message=row.id), about.who.handle, "reclassified")
    kept = {seat.id for seat, _ in seats}
    withhold(row.id, kept)
    if not is_agent_bound(audience):
        withhold_said(row.id, row.turn)
    _change(about, audience)
    steps = put_again(about, audience, _without_told(about, seats)) if seats else []
    about.journal(Kind.RECLASSIFICATION, deed.id, [*(step for _, step in withdrawn), *steps])
    _note(about, was, audience, reason, **detail)


def _note(about: Subject, was: Audience, audience: Audience, reason: str, **detail: Any) -> None:
    row = about.row
    change = {"before": to_words(was), "after": to_words(audience), "reason": reason, "revision": row.revision}
    note(Verb.RECLASSIFIED, about.who, row.session_id, row.id, **change, **detail)


def _deed(about: Subject, audience: Audience, reason: str) -> Reclassification:
    return Reclassification.objects.create(
        message=about.row,
        revision=about.row.revision,
        before=about.row.audience,
        before_targets=about.row.targets,
        after=audience.kind,
        after_targets=_targets(audience),
        by_id=about.who.id,
        reason=reason,
        at=timezone.now(),
    )


def _targets(audience: Audience) -> list[str]:
    return list(audience.handles) if isinstance(audience, Agents) else []


def _change(about: Subject, audience: Audience) -> None:
    """A reply that more people hear than its parent would tell them of it, so it lets go of it."""
    row = about.row
    above = parent.of(row)
    if above is not None and tells_of(above.parent, audience):
        row.reply_to, row.to = None, []
    row.audience, row.targets, row.compat = audience.kind, _targets(audience), ""
    row.save(update_fields=["audience", "targets", "compat", "reply_to", "to"])
    Addressee.objects.filter(message=row).delete()


def _without_told(about: Subject, seats: list[tuple[Seat, Purpose]]) -> list[tuple[Seat, Purpose]]:
    """Who was shown this very text already is not told it once more along with something else."""
    shown = Delivery.objects.filter(message=about.row.id, revision=about.row.revision, delivered_at__isnull=False)
    told = set(shown.filter(withheld_at=None).values_list("seat", flat=True))
    return [(seat, purpose) for seat, purpose in seats if purpose != Purpose.CONTEXT or seat.id not in told]
