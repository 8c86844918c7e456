"""The checker of stories can see: whatever is told otherwise of a legal story, it takes amiss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.journeys.story import Letter, Run, Said, Step, Story, faults

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
RUN, OTHER = uuid4(), uuid4()


def letter(place: int, number: int | None, *states: str, turn: UUID | None = RUN, purpose: str = "input") -> Letter:
    befores = ("", *states)
    named = {"steering_requested", "delivered", "responded", "too_late"}
    steps = tuple(
        Step(n, before, after, NOON + timedelta(seconds=n), turn if after in named else None)
        for n, (before, after) in enumerate(zip(befores, states, strict=False), 1)
    )
    return Letter(uuid4(), uuid4(), place, purpose, states[-1], turn, number, steps)


ASKED = letter(1, 1, "accepted", "queued", "delivered", "responded")
TAKEN = letter(2, 2, "accepted", "steering_requested", "delivered", "responded")
AGAIN = letter(3, 3, "accepted", "steering_requested", "delivered", "responded")
LATE = letter(4, None, "accepted", "steering_requested", "too_late")
NEXT = letter(5, 5, "accepted", "queued", "delivered", turn=OTHER)
FIRST = Run(
    RUN, ASKED.id, "finished", "closed", NOON + timedelta(seconds=10),
    (Step(1, "", "running", NOON), Step(2, "running", "finished", NOON)), (4,),
)  # fmt: skip
SECOND = Run(
    OTHER, NEXT.id, "stopped", "closed", NOON + timedelta(seconds=20),
    (Step(1, "", "running", NOON), Step(2, "running", "stopped", NOON)),
)  # fmt: skip
SAID = Said(uuid4(), RUN, ASKED.message)
LEGAL = Story((ASKED, TAKEN, AGAIN, LATE, NEXT), (FIRST, SECOND), (SAID,), 5)


def test_a_legal_story_is_taken_for_one():
    assert faults(LEGAL) == []


def steps(thing: Letter | Run, n: int, **fields: Any) -> tuple[Step, ...]:
    return tuple(replace(step, **fields) if step.n == n else step for step in thing.steps)


WRONG: dict[str, Callable[[], Story]] = {
    "a step is missing": lambda: LEGAL.change(TAKEN, steps=TAKEN.steps[:1] + TAKEN.steps[2:]),
    "a step does not follow the one before": lambda: LEGAL.change(TAKEN, steps=steps(TAKEN, 3, before="queued")),
    "a step that no table has": lambda: LEGAL.change(
        LATE, state="delivered", number=6, steps=(*LATE.steps, Step(4, "too_late", "delivered", NOON, RUN))
    ),
    "in a state that is not its last step": lambda: LEGAL.change(ASKED, state="delivered"),
    "steers no turn": lambda: LEGAL.change(TAKEN, steps=steps(TAKEN, 2, turn=uuid4())),
    "a steer in another turn": lambda: LEGAL.change(TAKEN, turn=OTHER),
    "a steer that began a turn": lambda: LEGAL.change(SECOND, input=LATE.id),
    "left waiting for a turn that has ended": lambda: LEGAL.change(
        LATE, state="steering_requested", steps=LATE.steps[:2]
    ),
    "neither in its turn nor too late for it": lambda: LEGAL.change(LATE, number=6),
    "told before the turn's own question": lambda: LEGAL.change(TAKEN, number=1).change(ASKED, number=2),
    "told after the turn's end": lambda: LEGAL.change(FIRST, ended_at=NOON + timedelta(seconds=1)),
    "told after the answer": lambda: LEGAL.change(FIRST, answers=(2,)),
    "answered by no turn of its own": lambda: LEGAL.change(TAKEN, steps=steps(TAKEN, 4, turn=None)),
    "answered without an answer that says so": lambda: replace(LEGAL, said=(replace(SAID, answers=uuid4()),)),
    "has not come to its end": lambda: LEGAL.change(SECOND, state="running", steps=SECOND.steps[:1]),
    "has ended and can still be steered": lambda: LEGAL.change(SECOND, window="open"),
    "stopped with 1 answers": lambda: LEGAL.change(SECOND, answers=(6,)),
    "finished with 0 answers": lambda: LEGAL.change(FIRST, answers=()),
    "2 messages of 1 answers": lambda: replace(LEGAL, said=(SAID, replace(SAID, id=uuid4()))),
    "0 messages of 1 answers": lambda: replace(LEGAL, said=()),
    "its question was not told": lambda: LEGAL.change(NEXT, state="queued", steps=NEXT.steps[:2], number=None),
    "told, and the answer does not say so": lambda: LEGAL.change(TAKEN, state="delivered", steps=TAKEN.steps[:3]),
    "turns took the question": lambda: LEGAL.change(SECOND, input=ASKED.id),
    "messages answer": lambda: replace(LEGAL, said=(SAID, Said(uuid4(), OTHER, ASKED.message))),
    "messages come from turn": lambda: replace(LEGAL, said=(SAID, Said(uuid4(), RUN, None))),
    "steers: one overtook another": lambda: LEGAL.change(TAKEN, number=3).change(AGAIN, number=2),
    "input: one overtook another": lambda: LEGAL.change(NEXT, place=0),
    "have gaps": lambda: replace(LEGAL, shown=6),
    "given twice": lambda: LEGAL.change(AGAIN, number=2),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_is_taken_amiss(what):
    assert any(what in fault for fault in faults(WRONG[what]())), faults(WRONG[what]())
