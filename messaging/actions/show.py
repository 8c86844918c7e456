"""Shows what was just written, from memory: as the author's answer, and as frames for this process's open pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from uuid import UUID

from messaging.actions.compose import Composed
from messaging.actions.write import Written
from messaging.domain.audience import to_words
from messaging.transcript import build
from messaging.transcript.fresh import Stretch, is_followed
from messaging.transcript.view import AuthorView, Frame, MessageView


def view(written: Written) -> MessageView:
    """The message as a reading of the tables would show it now."""
    one, draft, author = written.one, written.one.draft, written.one.draft.author
    fates = sorted(written.placed.deliveries, key=lambda row: (row.changed_at, row.id))
    return MessageView(
        id=str(one.id),
        seq=written.seqs[one.id],
        session=str(one.room.session.id),
        author=AuthorView(author.handle, author.kind, author.name),
        text=draft.text,
        audience=to_words(one.audience),
        audience_kind=one.audience.kind,
        targets=one.targets,
        to=list(one.resolved.to),
        compat=one.resolved.compat,
        on_behalf_of=draft.on_behalf_of,
        reply_to=str(one.reply_to) if one.reply_to else None,
        answers=str(written.answers) if written.answers else None,
        mentions=[],
        source=draft.source,
        created_at=one.now,
        edited_at=None,
        deleted_at=None,
        ever_delivered=False,
        deliveries=[build.delivery_view(fate) for fate in fates],
        turn=str(draft.turn) if draft.turn else None,
        dispatch=draft.dispatch,
        child=str(one.child[0]) if one.child else None,
        target_names=_names(one),
    )


def _names(one: Composed) -> list[str]:
    """As `transcript.build` has them."""
    if one.child:
        return [one.child[1].name]
    if one.consults:
        return [one.room.seats[one.consults].name]
    return [name for _, name in one.people.values()]


def stretches(batch: Sequence[tuple[Written, MessageView]]) -> list[Stretch]:
    """Everything that the batch wrote into sessions that somebody here follows.

    A reply's step of its parent is not here: such a session is left to be read.
    """
    frames: dict[UUID, list[Frame]] = defaultdict(list)
    rooms = {}
    for written, shown in batch:
        room = written.one.room
        if is_followed(room.session.id):
            rooms[room.session.id] = room
            frames[room.session.id] += _frames(written, shown)
    whole = {key: own for key, own in frames.items() if own[-1].seq == rooms[key].clock.seq}
    return [
        Stretch(key, own[0].seq - 1, own, rooms[key].standing.epochs) for key, own in whole.items() if _gapless(own)
    ]


def _frames(written: Written, shown: MessageView) -> list[Frame]:
    only = _only(written)
    return [
        Frame(shown.seq, "message", shown, only, shown),
        *(
            Frame(written.seqs[step.id], "disposition", build.step_view(step), only, shown)
            for step in written.placed.steps
        ),
    ]


def _only(written: Written) -> frozenset[UUID] | None:
    """For a direct message, its author and targets; anything else is for all people of the session."""
    people, author = written.one.people, written.one.draft.author
    if not people:
        return None
    return frozenset({person for person, _ in people.values()} | ({author.id} if author.kind == "human" else set()))


def _gapless(frames: Sequence[Frame]) -> bool:
    return all(after.seq == before.seq + 1 for before, after in pairwise(frames))
