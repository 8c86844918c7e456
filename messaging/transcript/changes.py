"""Everything since a number: the one reading behind sockets, reconnects and `GET changes`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from messaging.domain.audience import Kind as AudienceKind
from messaging.journal.models import Entry, Kind
from messaging.mailbox.models import Attempt, Transition, TurnStep
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import MembershipChange, Session
from messaging.transcript import build
from messaging.transcript.models import Addressee, Message
from messaging.transcript.view import Frame

LIMIT = 500


@dataclass(frozen=True, slots=True)
class Changes:
    """Frames for one viewer. `next` is the number to ask from again, `more` whether there may be more now."""

    frames: list[Frame]
    next: int
    more: bool


def of_session(session: UUID, after: int) -> list[Frame]:
    """Every entry after a number as a frame, each saying for whom it is. For the hub, which filters before it sends."""
    wanted: dict[str, dict[UUID, int]] = {kind: {} for kind in Kind.values}
    for kind, ref, seq in (
        Entry.objects.filter(session=session, seq__gt=after).order_by("seq")[:LIMIT].values_list("kind", "ref", "seq")
    ):
        wanted[kind][ref] = seq
    frames = [
        *_of_messages(wanted[Kind.MESSAGE], wanted[Kind.DISPOSITION]),
        *_turns(wanted[Kind.TURN], wanted[Kind.ATTEMPT]),
        *_members(wanted[Kind.MEMBER]),
    ]
    return sorted(frames, key=lambda frame: frame.seq)


def to(viewer: Viewer, session: Session, after: int) -> Changes:
    """Everything since a number that this viewer may see. Raises Hidden for a viewer outside."""
    access.role(viewer, session)
    frames = of_session(session.id, after)
    mine = [frame for frame in frames if may_see(frame, viewer.id)]
    return Changes(mine, frames[-1].seq if frames else after, len(frames) == LIMIT)


def may_see(frame: Frame, person: UUID) -> bool:
    """Whether a frame is for this person of the session."""
    return frame.people is None or person in frame.people


def _of_messages(said: dict[UUID, int], stepped: dict[UUID, int]) -> list[Frame]:
    """Messages and the steps of their deliveries, each message read once."""
    steps = list(Transition.objects.filter(id__in=stepped).select_related("delivery__seat")) if stepped else []
    ids = {*said, *(step.delivery.message for step in steps)}
    if not ids:
        return []
    rows = list(build.joined(Message.objects.filter(id__in=ids)))
    views = {row.id: view for row, view in zip(rows, build.messages(rows), strict=True)}
    only = _only(rows)
    frames = [Frame(said[key], "message", views[key], only.get(key), views[key]) for key in said]
    return frames + [
        Frame(
            stepped[step.id],
            "disposition",
            build.step_view(step),
            only.get(step.delivery.message),
            views[step.delivery.message],
        )
        for step in steps
    ]


def _only(rows: Sequence[Message]) -> dict[UUID, frozenset[UUID]]:
    """For direct messages, their author and targets; the rest is for all people of the session."""
    direct = {row.id: {row.person_id} for row in rows if row.audience == AudienceKind.PEOPLE}
    found = Addressee.objects.filter(message__in=direct).values_list("message", "person") if direct else []
    for message, person in found:
        direct[message].add(person)
    return {key: frozenset(person for person in people if person) for key, people in direct.items()}


def _turns(steps: dict[UUID, int], tries: dict[UUID, int]) -> list[Frame]:
    """Steps of turns and failed attempts at them; each shows its turn as it stands."""
    of_steps = TurnStep.objects.filter(id__in=steps).values_list("id", "turn") if steps else []
    of_tries = Attempt.objects.filter(id__in=tries).values_list("id", "turn") if tries else []
    seqs = steps | tries
    turns = {seqs[ref]: turn for ref, turn in (*of_steps, *of_tries)}
    views = build.turns_by_id(turns.values())
    return [Frame(seq, "turn", views[turn]) for seq, turn in turns.items()]


def _members(wanted: dict[UUID, int]) -> list[Frame]:
    if not wanted:
        return []
    rows = MembershipChange.objects.filter(id__in=wanted).select_related(
        "membership__session", "membership__person__handle", "membership__agent__handle"
    )
    return [Frame(wanted[row.id], "member", _member(row)) for row in rows]


def _member(row: MembershipChange) -> access.MemberView:
    view = access.member_view(row.membership, row.membership.session)
    return replace(view, role="" if row.change == MembershipChange.Change.LEFT else row.role)
