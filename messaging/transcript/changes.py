"""Everything since a number: the one reading behind sockets, reconnects and `GET changes`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypeAlias
from uuid import UUID

from django.db.models import Manager, Q

from messaging.domain.audience import Kind as AudienceKind
from messaging.journal.models import Entry, Kind
from messaging.mailbox.models import Attempt, Transition, TurnStep
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import MembershipChange, Session, SessionChange
from messaging.transcript import asks, build
from messaging.transcript.models import Addressee, AskStep, Message, Reclassification, Revision, Tombstone
from messaging.transcript.view import Frame

LIMIT = 500
#: Frames of one message in one reading, after its first.
MOST_ALIKE = 7


@dataclass(frozen=True, slots=True)
class Changes:
    """Frames for one viewer. `next` is the number to ask from again, `more` whether there may be more now."""

    frames: list[Frame]
    next: int
    more: bool


def of_sessions(after: Mapping[UUID, int]) -> dict[UUID, tuple[list[Frame], bool]]:
    """For each session every entry after its number as a frame that says for whom it is, and whether there may be more.

    One reading for all, of at most `LIMIT` entries. For the hub, which filters before it sends.
    """
    wanted: dict[str, dict[UUID, int]] = {kind: {} for kind in Kind.values}
    place: dict[UUID, UUID] = {}
    entries = _entries(after)
    for session, kind, ref, seq in entries:
        wanted[kind][ref] = seq
        place[ref] = session
    frames: dict[UUID, list[Frame]] = {session: [] for session in after}
    for ref, frame in (
        *_of_messages({key: key for key in wanted[Kind.MESSAGE]} | _about(wanted), wanted),
        *_turns(wanted[Kind.TURN], wanted[Kind.ATTEMPT]),
        *_members(wanted[Kind.MEMBER]),
        *_sessions(wanted[Kind.SESSION]),
        *_asks(wanted[Kind.ASK]),
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


#: What was done to a message after it was said, and where it stands.
_DEEDS: Mapping[Kind, Manager[Any]] = MappingProxyType(
    {
        Kind.REVISION: Revision.objects,
        Kind.RECLASSIFICATION: Reclassification.objects,
        Kind.TOMBSTONE: Tombstone.objects,
    }
)


def _about(wanted: Mapping[str, Mapping[UUID, int]]) -> dict[UUID, UUID]:
    """The message of each deed."""
    found: dict[UUID, UUID] = {}
    for kind, deeds in _DEEDS.items():
        if wanted[kind]:
            found |= dict(deeds.filter(id__in=wanted[kind]).values_list("id", "message"))
    return found


def _of_messages(about: Mapping[UUID, UUID], wanted: Mapping[str, Mapping[UUID, int]]) -> list[_Found]:
    """Messages, what was done to them, and the steps of their deliveries, each message read once.

    about: the message that each entry but those of steps shows.
    """
    seqs = {ref: seq for kind in (Kind.MESSAGE, *_DEEDS) for ref, seq in wanted[kind].items()}
    stepped = wanted[Kind.DISPOSITION]
    steps = list(Transition.objects.filter(id__in=stepped).select_related("delivery__seat")) if stepped else []
    ids = {*about.values(), *(step.delivery.message for step in steps)}
    if not ids:
        return []
    rows = list(build.joined(Message.objects.filter(id__in=ids)))
    views = {row.id: view for row, view in zip(rows, build.messages(rows), strict=True)}
    only = _only(rows)
    shown = _not_too_often(about, seqs)
    frames = [(ref, Frame(seqs[ref], "message", views[key], only.get(key), views[key])) for ref, key in shown.items()]
    for step in steps:
        key, view = step.delivery.message, build.step_view(step)
        frames.append((step.id, Frame(stepped[step.id], "disposition", view, only.get(key), views[key])))
    return frames


def _not_too_often(about: Mapping[UUID, UUID], seqs: Mapping[UUID, int]) -> dict[UUID, UUID]:
    """Of a message that was changed again and again the first frame and the last: in one reading all say the same."""
    of: dict[UUID, list[UUID]] = defaultdict(list)
    for ref in sorted(about, key=lambda ref: seqs[ref]):
        of[about[ref]].append(ref)
    return {ref: key for key, refs in of.items() for ref in (refs[0], *refs[1:][-MOST_ALIKE:])}


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


def _sessions(wanted: dict[UUID, int]) -> list[_Found]:
    """Changes of what a session is called or allows; each shows it as it stands."""
    if not wanted:
        return []
    rows = SessionChange.objects.filter(id__in=wanted).select_related("session__active_agent__handle")
    return [(row.id, Frame(wanted[row.id], "session", build.session(row.session))) for row in rows]


def _asks(wanted: dict[UUID, int]) -> list[_Found]:
    """What somebody is asked, as it stands: for that person alone, whoever else is in the session."""
    if not wanted:
        return []
    rows = AskStep.objects.filter(id__in=wanted).select_related("ask__agent__handle")
    return [(row.id, Frame(wanted[row.id], "ask", asks.view(row.ask), frozenset({row.ask.person_id}))) for row in rows]
