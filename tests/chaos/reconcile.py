"""Compares what clients, sockets and the model server say with what is kept. Each check answers with complaints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from tests.chaos.clients import Kept
from tests.chaos.ears import Frame
from tests.chaos.facts import Entry, Facts, Message, Turn, same

MESSAGE = "message"


def posts(kept: Sequence[Kept], facts: Facts) -> list[str]:
    """Whatever was acknowledged is there, once, as it was meant; and nothing that people did not say (13, 14)."""
    said = [message for message in facts.messages if message.kind == "human"]
    rows, meant = {message.id: message for message in said}, {one.wish.key: one for one in kept}
    lost = [f"lost: {one.wish.key}" for one in kept if same(one.id) not in rows]
    doubled = [f"doubled: {key}" for key, n in Counter(message.text for message in said).items() if n > 1]
    unsaid = [f"nobody said: {message.text}" for message in said if message.key not in meant]
    changed = [f"changed: {one.wish.key}" for one in kept if same(one.id) in rows and not _is(one, rows[same(one.id)])]
    return lost + doubled + unsaid + changed


def _is(one: Kept, row: Message) -> bool:
    wish = one.wish
    return (row.seq, row.session, row.author, row.text, row.audience, row.key) == (
        one.seq, same(wish.session), wish.author, wish.text, wish.audience, wish.key
    )  # fmt: skip


def order(kept: Sequence[Kept], facts: Facts) -> list[str]:
    """Each session counts without a hole, in the order of commits, and each client's posts in their order (15)."""
    return _counting(facts) + _commits(facts) + _entries(facts) + _clients(kept)


def _counting(facts: Facts) -> list[str]:
    found: dict[str, list[int]] = {session: [] for session in facts.clocks}
    for entry in facts.entries:
        found[entry.session].append(entry.seq)
    return [
        f"numbers of {session} are not 1 to {facts.clocks[session]}"
        for session, seqs in found.items()
        if seqs != list(range(1, facts.clocks[session] + 1))
    ]


def _commits(facts: Facts) -> list[str]:
    return [
        f"{session} was committed out of order"
        for session, times in facts.commits.items()
        if any(after < before for before, after in pairwise(times))
    ]


def _entries(facts: Facts) -> list[str]:
    wanted = Counter(Entry(one.session, one.seq, MESSAGE, one.id) for one in facts.messages)
    found = Counter(entry for entry in facts.entries if entry.kind == MESSAGE)
    return [f"journal and message differ: {entry}" for entry in (wanted - found) + (found - wanted)]


def _clients(kept: Sequence[Kept]) -> list[str]:
    last: dict[tuple[str, str], Kept] = {}
    wrong = []
    for one in kept:
        before = last.get(place := (one.wish.author, one.wish.session))
        if before is not None and before.seq >= one.seq:
            wrong.append(f"{one.wish.key} is numbered before {before.wish.key}")
        last[place] = one
    return wrong


def heard(name: str, frames: Sequence[Frame], asked: Sequence[Frame]) -> list[str]:
    """What a socket was sent, over all its connections, goes up and is what `GET changes` answers (15, 19)."""
    sent, owed = set(frames), set(asked)
    back = [f"{name}: {after} after {before}" for before, after in pairwise(frames) if after[0] <= before[0]]
    missed = [f"{name} missed {frame}" for frame in asked if frame not in sent]
    extra = [f"{name} alone heard {frame}" for frame in frames if frame not in owed]
    return back + missed + extra


def model(requests: Sequence[str], kept: Sequence[Kept], facts: Facts) -> list[str]:
    """The model was asked nothing but what an attempt is recorded for, and no more often (16).

    requests: the key of the question in each request that the model's server saw.
    """
    ids = {one.wish.key: same(one.id) for one in kept}
    attempts: Counter[str] = Counter()
    for turn in facts.turns:
        attempts[turn.message] += turn.attempts
    return [
        f"the model was asked {key or 'something unknown'} {n} times, recorded are {attempts[ids.get(key, '')]}"
        for key, n in Counter(requests).items()
        if n > attempts[ids.get(key, "")]
    ]


def answers(kept: Sequence[Kept], facts: Facts) -> list[str]:
    """Every question comes to an end: one answer, or a reason why there is none; never two (16, 17)."""
    counted = Counter(message.answers for message in facts.messages if message.answers)
    turns = {turn.id: turn for turn in facts.turns}
    inputs = {one.message: one for one in facts.deliveries if one.purpose == "input"}
    wanted = {same(one.id) for one in kept if one.wish.audience == "active_agent"}
    wrong = [f"{question} was answered {n} times" for question, n in counted.items() if n > 1]
    wrong += [f"{question} came before no agent" for question in wanted - set(inputs)]
    wrong += [f"{question} was asked by nobody" for question in set(inputs) - wanted]
    for question, delivery in inputs.items():
        ended = _ended(delivery.state, turns.get(delivery.turn), counted[question])
        wrong += [] if ended else [f"{question} is {delivery.state}, with {counted[question]} answers"]
    return wrong


def _ended(state: str, turn: Turn | None, answered: int) -> bool:
    match state:
        case "responded":
            return answered == 1
        case "delivered":
            return answered == 0 and turn is not None and turn.state == "failed" and bool(turn.reason)
    return answered == 0 and state in ("rejected", "failed", "superseded", "too_late")


def everything(
    kept: Sequence[Kept], facts: Facts, requests: Sequence[str], ears: Mapping[str, tuple[list[Frame], list[Frame]]]
) -> list[str]:
    """All of these. ears: by name, what a socket was sent and what its person gets by asking."""
    wrong = posts(kept, facts) + order(kept, facts) + model(requests, kept, facts) + answers(kept, facts)
    for name, (sent, asked) in ears.items():
        wrong += heard(name, sent, asked)
    return wrong
