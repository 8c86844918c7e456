"""Everything since a number: the one reading behind sockets, reconnects and `GET changes`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias
from uuid import UUID

from django.db.models import Q

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
    """Every entry after a number as a frame, each saying for whom it is; at most `LIMIT`."""
    return of_sessions({session: after})[session][0]


def of_sessions(after: Mapping[UUID, int]) -> dict[UUID, tuple[list[Frame], bool]]:
    """The same for several sessions in one reading, each with whether there may be more.

    For the hub, which filters before it sends.
    """
    wanted: dict[str, dict[UUID, int]] = {kind: {} for kind in Kind.values}
    place: dict[UUID, UUID] = {}
    entries = _entries(after)
    for session, kind, ref, seq in entries:
        wanted[kind][ref] = seq
        place[ref] = session
    frames: dict[UUID, list[Frame]] = {session: [] for session in after}
    for ref, frame in (
        *_of_messages(wanted[Kind.MESSAGE], wanted[Kind.DISPOSITION]),
        *_turns(wanted[Kind.TURN], wanted[Kind.ATTEMPT]),
        *_members(wanted[Kind.MEMBER]),
    ):
        frames[place[ref]].append(frame)
    more = len(entries) == LIMIT
    return {session: (sorted(own, key=lambda frame: frame.seq), more) for session, own in frames.items()}


def _entries(after: Mapping[UUID, int]) -> list[tuple[UUID, str, UUID, int]]:
    """What the journal holds, session by session and in order, up to `LIMIT` in all."""
    which = Q(session__in=())
    for session, seq in after.items():
        which |= Q(session=session, seq__gt=seq)
    rows = Entry.objects.filter(which).order_by("session", "seq")[:LIMIT]
    return list(rows.values_list("session", "kind", "ref", "seq"))


def to(viewer: Viewer, session: Session, after: int) -> Changes:
    """Everything since a number that this viewer may see. Raises Hidden for a viewer outside."""
    access.role(viewer, session)
    frames, more = of_sessions({session.id: after})[session.id]
    mine = [frame for frame in frames if may_see(frame, viewer.id)]
    return Changes(mine, frames[-1].seq if frames else after, more)


def may_see(frame: Frame, person: UUID) -> bool:
    """Whether a frame is for this person of the session."""
    return frame.people is None or person in frame.people


#: A frame, and the thing that its entry points at.
_Found: TypeAlias = tuple[UUID, Frame]


def _of_messages(said: dict[UUID, int], stepped: dict[UUID, int]) -> list[_Found]:
    """Messages and the steps of their deliveries, each message read once."""
    steps = list(Transition.objects.filter(id__in=stepped).select_related("delivery__seat")) if stepped else []
    ids = {*said, *(step.delivery.message for step in steps)}
    if not ids:
        return []
    rows = list(build.joined(Message.objects.filter(id__in=ids)))
    views = {row.id: view for row, view in zip(rows, build.messages(rows), strict=True)}
    only = _only(rows)
    frames = [(key, Frame(said[key], "message", views[key], only.get(key), views[key])) for key in said]
    for step in steps:
        about = step.delivery.message
        view = build.step_view(step)
        frames.append((step.id, Frame(stepped[step.id], "disposition", view, only.get(about), views[about])))
    return frames


def _only(rows: Sequence[Message]) -> dict[UUID, frozenset[UUID]]:
    """For direct messages, their author and targets; the rest is for all people of the session."""
    direct = {row.id: {row.person_id} for row in rows if row.audience == AudienceKind.PEOPLE}
    found = Addressee.objects.filter(message__in=direct).values_list("message", "person") if direct else []
    for message, person in found:
        direct[message].add(person)
    return {key: frozenset(person for person in people if person) for key, people in direct.items()}


def _turns(steps: dict[UUID, int], tries: dict[UUID, int]) -> list[_Found]:
    """Steps of turns and failed attempts at them; each shows its turn as it stands."""
    of_steps = TurnStep.objects.filter(id__in=steps).values_list("id", "turn") if steps else []
    of_tries = Attempt.objects.filter(id__in=tries).values_list("id", "turn") if tries else []
    seqs = steps | tries
    turns = dict([*of_steps, *of_tries])
    views = build.turns_by_id(set(turns.values()))
    return [(ref, Frame(seqs[ref], "turn", views[turn])) for ref, turn in turns.items()]


def _members(wanted: dict[UUID, int]) -> list[_Found]:
    if not wanted:
        return []
    rows = MembershipChange.objects.filter(id__in=wanted).select_related(
        "membership__session", "membership__person__handle", "membership__agent__handle"
    )
    return [(row.id, Frame(wanted[row.id], "member", _member(row))) for row in rows]


def _member(row: MembershipChange) -> access.MemberView:
    view = access.member_view(row.membership, row.membership.session)
    return replace(view, role="" if row.change == MembershipChange.Change.LEFT else row.role)
