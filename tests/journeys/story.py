"""What became of a session's questions, steers and turns, as rows tell it; and what of that cannot be.

`faults` is pure: a story that it takes nothing amiss with is a legal one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from messaging.domain import disposition, turn
from messaging.domain.table import Table
from messaging.mailbox.models import Delivery, Seat, Transition, Turn, TurnStep, Utterance
from messaging.transcript.models import Message


@dataclass(frozen=True)
class Step:
    """One step of a delivery or a turn; of a delivery's, `turn` is the one that it names."""

    n: int
    before: str
    after: str
    at: datetime
    turn: UUID | None = None


@dataclass(frozen=True)
class Letter:
    """One question, steer or piece of context before the agent."""

    id: UUID
    message: UUID
    place: int
    purpose: str
    state: str
    turn: UUID | None
    number: int | None
    steps: tuple[Step, ...]

    @property
    def steered(self) -> Step | None:
        """The step by which it was to steer a turn."""
        return next((step for step in self.steps if step.after == "steering_requested"), None)

    def step(self, after: str) -> Step | None:
        return next((step for step in self.steps if step.after == after), None)


@dataclass(frozen=True)
class Run:
    """One turn; `answers` are the seat's numbers of what it answered with."""

    id: UUID
    input: UUID
    state: str
    window: str
    ended_at: datetime | None
    steps: tuple[Step, ...]
    answers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Said:
    """A message that an agent's turn became."""

    id: UUID
    turn: UUID | None
    answers: UUID | None


@dataclass(frozen=True)
class Story:
    letters: tuple[Letter, ...]
    runs: tuple[Run, ...]
    said: tuple[Said, ...]
    shown: int

    def run(self, wanted: UUID | None) -> Run | None:
        return next((run for run in self.runs if run.id == wanted), None)

    def letter(self, wanted: UUID) -> Letter | None:
        return next((letter for letter in self.letters if letter.id == wanted), None)

    def change(self, thing: Letter | Run, **fields: object) -> Story:
        """The same with one letter or run told otherwise."""
        other = replace(thing, **fields)  # type: ignore[arg-type]
        letters = tuple(other if one is thing else one for one in self.letters)
        runs = tuple(other if one is thing else one for one in self.runs)
        return replace(self, letters=letters, runs=runs)  # type: ignore[arg-type]


def told(seat: UUID) -> Story:
    """The story of a seat, whose turns have all been collected."""
    steps = Transition.objects.filter(delivery__seat=seat).order_by("step")
    of_letters = [(row.delivery_id, Step(row.step, row.before, row.after, row.at, row.turn)) for row in steps]
    turn_steps = TurnStep.objects.filter(turn__seat=seat).order_by("step")
    of_runs = [(row.turn_id, Step(row.step, row.before, row.after, row.at)) for row in turn_steps]
    answers = Utterance.objects.filter(seat=seat, kind="answer").values_list("turn", "number")
    letters = [
        Letter(row.id, row.message, row.place, row.purpose, row.state, row.turn, row.number, _own(of_letters, row.id))
        for row in Delivery.objects.filter(seat=seat).order_by("place")
    ]
    runs = [
        Run(
            row.id, row.input_id, row.state, row.window, row.ended_at, _own(of_runs, row.id),
            tuple(number or 0 for one, number in answers if one == row.id),
        )
        for row in Turn.objects.filter(seat=seat).order_by("started_at")
    ]  # fmt: skip
    known = Seat.objects.get(id=seat)
    rows = Message.objects.filter(session=known.session, author_kind="agent").values_list("id", "turn", "answers")
    return Story(tuple(letters), tuple(runs), tuple(Said(*row) for row in rows), known.shown)


def _own(steps: Sequence[tuple[UUID, Step]], key: UUID) -> tuple[Step, ...]:
    return tuple(step for one, step in steps if one == key)


def faults(story: Story) -> list[str]:
    """What cannot be, in words; nothing for a legal story that has come to its end."""
    return [
        *(fault for letter in story.letters for fault in _chain(letter, disposition.TABLE)),
        *(fault for run in story.runs for fault in _chain(run, turn.TABLE)),
        *(fault for letter in story.letters if letter.steered for fault in _steer(story, letter)),
        *(fault for letter in story.letters if letter.state == "responded" for fault in _responded(story, letter)),
        *(fault for run in story.runs for fault in _run(story, run)),
        *_answers(story),
        *_order(story),
        *_numbers(story),
    ]


def _chain(thing: Letter | Run, table: Table) -> Iterator[str]:
    steps = thing.steps
    if [step.n for step in steps] != list(range(1, len(steps) + 1)):
        yield f"{thing.id}: a step is missing"
    if not steps or steps[0].before or any(one.after != other.before for one, other in pairwise(steps)):
        yield f"{thing.id}: a step does not follow the one before"
    if any(not table.allows(step.before, step.after) for step in steps):
        yield f"{thing.id}: a step that no table has"
    if steps and steps[-1].after != thing.state:
        yield f"{thing.id}: in a state that is not its last step"


def _steer(story: Story, letter: Letter) -> Iterator[str]:
    asked = letter.steered
    run = story.run(asked.turn) if asked else None
    if run is None:
        yield f"{letter.id}: steers no turn"
        return
    if letter.turn != run.id or any(step.turn not in (None, run.id) for step in letter.steps):
        yield f"{letter.id}: a steer in another turn"
    if any(other.input == letter.id for other in story.runs):
        yield f"{letter.id}: a steer that began a turn"
    if letter.state == "steering_requested":
        yield f"{letter.id}: left waiting for a turn that has ended"
    delivered = letter.step("delivered")
    if delivered is not None:
        yield from _within(story, letter, delivered, run)
    elif letter.state not in ("too_late", "superseded", "rejected") or letter.number is not None:
        yield f"{letter.id}: neither in its turn nor too late for it"


def _within(story: Story, letter: Letter, delivered: Step, run: Run) -> Iterator[str]:
    asked = story.letter(run.input)
    first = asked.number if asked else None
    if letter.number is None or first is None or letter.number <= first:
        yield f"{letter.id}: told before the turn's own question"
    if run.ended_at is not None and delivered.at > run.ended_at:
        yield f"{letter.id}: told after the turn's end"
    if any((letter.number or 0) > number for number in run.answers):
        yield f"{letter.id}: told after the answer"


def _responded(story: Story, letter: Letter) -> Iterator[str]:
    step = letter.step("responded")
    run = story.run(letter.turn)
    if step is None or run is None or step.turn != run.id:
        yield f"{letter.id}: answered by no turn of its own"
        return
    asked = story.letter(run.input)
    linked = [one for one in story.said if one.turn == run.id and asked is not None and one.answers == asked.message]
    if len(linked) != 1:
        yield f"{letter.id}: answered without an answer that says so"


def _run(story: Story, run: Run) -> Iterator[str]:
    if run.state == "running" or run.ended_at is None:
        yield f"{run.id}: has not come to its end"
    if run.window != "closed":
        yield f"{run.id}: has ended and can still be steered"
    if len(run.answers) != (1 if run.state == "finished" else 0):
        yield f"{run.id}: {run.state} with {len(run.answers)} answers"
    posted = [one for one in story.said if one.turn == run.id]
    if len(posted) != len(run.answers):
        yield f"{run.id}: {len(posted)} messages of {len(run.answers)} answers"
    asked = story.letter(run.input)
    if asked is None or asked.state not in ("delivered", "responded") or asked.turn != run.id:
        yield f"{run.id}: its question was not told"
    if run.state == "finished":
        taken = [one for one in story.letters if one.turn == run.id and one.purpose == "input" and one.number]
        yield from (f"{one.id}: told, and the answer does not say so" for one in taken if one.state != "responded")


def _answers(story: Story) -> Iterator[str]:
    for what, counted in (
        ("turns took the question", Counter(run.input for run in story.runs)),
        ("messages answer", Counter(one.answers for one in story.said if one.answers)),
        ("messages come from turn", Counter(one.turn for one in story.said if one.turn)),
    ):
        yield from (f"{count} {what} {key}" for key, count in counted.items() if count > 1)


def _order(story: Story) -> Iterator[str]:
    """Within their kind rows are told in the order of their places: steers, questions, context."""
    for steering in (True, False):
        for purpose in ("input", "context"):
            kind = [one for one in story.letters if one.purpose == purpose and (one.steered is not None) == steering]
            shown = sorted((one.number, one.place) for one in kind if one.number is not None)
            if any(one[1] > other[1] for one, other in pairwise(shown)):
                yield f"{'steers' if steering else purpose}: one overtook another"


def _numbers(story: Story) -> Iterator[str]:
    told_ = [one.number for one in story.letters if one.number is not None]
    numbers = sorted([*told_, *(number for run in story.runs for number in run.answers)])
    if numbers != list(range(1, story.shown + 1)):
        yield "the seat's numbers have gaps, or one was given twice"
