"""Random plays with an ask: whatever is done to it and in whatever order, it ends once, and runs at most once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from messaging.actions.answer_ask import answer_ask
from messaging.actions.draft import Refusal
from messaging.actions.show_asks import show_asks
from messaging.actions.stop import stop
from messaging.actions.sweep import sweep
from messaging.agents import turn
from messaging.domain.ask import TABLE, AskState, Surface
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Seat, ToolCall, Turn
from messaging.roster.access import Hidden
from messaging.transcript.models import Ask, AskStep
from tests.actions.asks import Plot, asked, calling, permit, plot_call, plotting, too_late
from tests.cast import Room, person

pytestmark = pytest.mark.django_db
WORDS = ("Approve", "Decline", "Perhaps")


def answers(who: str, choice: str, surface: Surface) -> Callable[[Room, Ask], None]:
    def run(_: Room, ask: Ask) -> None:
        with suppress(Refusal, Hidden):
            answer_ask(person(who), ask.id, choice, surface)

    return run


def goes_on(room: Room, _: Ask) -> None:
    """The agents' process looks whether there is something to do."""
    held = claim(room.seat("mirror").id)
    if held is not None:
        turn.run(held, lambda: False)


DEEDS: list[Callable[[Room, Ask], object]] = [
    *(answers(who, word, surface) for who in ("alex", "sam") for word in WORDS for surface in Surface),
    *([lambda _, __, surface=surface: show_asks(person("alex"), surface) for surface in Surface] * 3),
    lambda room, _: stop(person("sam"), room.session),
    lambda _, ask: too_late(ask),
    lambda _, __: sweep(),
    goes_on,
    goes_on,
]


@settings(
    max_examples=40,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(deeds=st.lists(st.sampled_from(DEEDS), min_size=4, max_size=14))
def test_it_ends_once_and_what_runs_was_approved(monkeypatch, deeds):
    with transaction.atomic(), monkeypatch.context() as patch:
        play(plotting(patch), patch, deeds)
        transaction.set_rollback(True)


def play(plot: Plot, patch: pytest.MonkeyPatch, deeds: list[Callable[[Room, Ask], object]]) -> None:
    room = Room.open()
    Seat.objects.filter(session=room.session.id, kind="hosted").update(provider="fake")
    permit(plot="ask")
    calling(patch, plot_call())
    ask = asked(room)
    walk = [AskState.OPEN]
    for deed in [*deeds, lambda _, __: sweep()]:
        deed(room, ask)
        ask.refresh_from_db()
        if ask.state != walk[-1]:
            walk.append(AskState(ask.state))
        assert len(plot.done) <= (ask.answer == "Approve")
    assert all(TABLE.allows(before, after) for before, after in pairwise(walk))
    assert sorted(AskStep.objects.filter(ask=ask).values_list("state", flat=True)) == sorted(walk)
    assert (ask.answer != "") is (ask.state == AskState.ANSWERED)
    assert ask.answer in ("", "Approve", "Decline")
    if Turn.objects.get().state == "finished":
        assert len(plot.done) == (ask.answer == "Approve")
    if ask.state != AskState.OPEN:
        assert ToolCall.objects.get().state != "waiting"
