"""A day's budget: what it counts, for whom, when it ends and begins anew, and what is said of it."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from messaging.actions.change_agent import change_agent
from messaging.actions.collect import collect
from messaging.actions.enrol import add_agent
from messaging.actions.join import join
from messaging.actions.resend import resend
from messaging.actions.sweep import sweep
from messaging.domain.capability import Role
from messaging.mailbox import say, usage
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Seat, Usage
from messaging.roster import budget
from messaging.roster.models import Agent, Person, Session, Spend
from tests.cast import Room, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


def bound(handle: str = "mirror", **bounds: int | None) -> None:
    change_agent(None, handle, **bounds)


def answered(room: Room, handle: str = "mirror") -> None:
    held = claim(room.seat(handle).id)
    assert held is not None
    say.answer(held, "an answer")
    collect(room.session.id)


def used(what: str = budget.TURNS) -> int:
    return sum(Spend.objects.filter(what=what).values_list("used", flat=True))


class TestTurns:
    def test_the_last_one_is_taken_and_the_next_is_refused_with_whose_and_until_when(self, room):
        bound(turns_a_day=2)
        for text in ("first", "second"):
            room.say("sam", text, "active_agent")
            answered(room)
        refusal = room.refused("sam", "third", "active_agent")
        assert (refusal.status, refusal.code, refusal.field) == (429, "over_budget", "audience")
        assert refusal.detail == "Today's budget of Alex is used up, new at 00:00 UTC."
        assert 0 < refusal.retry_after <= 86_401
        assert not Delivery.objects.filter(text="third").exists()

    def test_talk_among_people_and_context_cost_nothing_and_are_never_refused(self, room):
        bound(turns_a_day=1)
        room.say("sam", "a question", "active_agent")
        room.say("sam", "to all", "everyone")
        room.say("sam", "to people")
        room.say("sam", "to scout", "agent:scout", dispatch="future_turn")
        assert used() == 1

    def test_what_waits_is_charged_when_it_is_cleared_and_rejected_where_nothing_is_left(self, room):
        bound(turns_a_day=2)
        asked = [room.say("sam", text, "active_agent") for text in ("first", "second", "third")]
        assert used() == 1
        answered(room)
        assert used() == 2
        answered(room)
        row = room.delivery(asked[2], "mirror")
        assert (row.state, row.reason) == ("rejected", "over_budget")
        assert used() == 2

    def test_a_bound_is_counted_for_the_owner_over_all_their_agents(self, room):
        owner = Person.objects.get(handle__spelled="alex")
        made = add_agent("archivist", kind="hosted", provider="mirror", owner=owner, turns_a_day=2)
        join(room.session, made, Role.AGENT)
        bound(turns_a_day=2)
        room.say("sam", "one", "active_agent")
        room.say("sam", "two", "agent:archivist", dispatch="future_turn")
        assert room.refused("sam", "three", "agent:archivist", dispatch="future_turn").code == "over_budget"

    def test_another_owners_is_not_touched(self, room):
        owner = Person.objects.get(handle__spelled="mo")
        join(room.session, add_agent("clerk", kind="hosted", provider="mirror", owner=owner, turns_a_day=1), Role.AGENT)
        bound(turns_a_day=1)
        room.say("sam", "one", "active_agent")
        assert room.refused("sam", "two", "active_agent").code == "over_budget"
        room.say("sam", "two", "agent:clerk", dispatch="future_turn")

    def test_an_agent_without_an_owner_pays_for_itself(self, room):
        bound(turns_a_day=1, owner=None)
        room.say("sam", "one", "active_agent")
        assert "budget of Mirror" in room.refused("sam", "two", "active_agent").detail

    def test_without_a_bound_nothing_is_counted(self, room):
        for text in ("one", "two"):
            room.say("sam", text, "active_agent")
        assert used() == 0

    def test_a_bound_that_is_taken_away_is_gone_at_once(self, room):
        bound(turns_a_day=1)
        room.say("sam", "one", "active_agent")
        assert room.refused("sam", "two", "active_agent").code == "over_budget"
        bound(turns_a_day=None)
        room.say("sam", "two", "active_agent")

    def test_a_new_day_is_a_new_budget(self, room):
        bound(turns_a_day=1)
        room.say("sam", "one", "active_agent")
        Spend.objects.filter(what=budget.TURNS).update(window=timezone.now() - timedelta(days=1))
        answered(room)
        room.say("sam", "two", "active_agent")
        assert used() == 1

    def test_to_send_again_is_a_turn_too(self, room):
        bound(turns_a_day=2)
        message = room.say("sam", "one", "active_agent")
        answered(room)
        resend(person("sam"), message.id)
        answered(room)
        from messaging.actions.draft import Refusal

        with pytest.raises(Refusal) as refused:
            resend(person("sam"), message.id)
        assert refused.value.code == "over_budget"

    def test_a_side_session_is_one_too_and_none_is_opened_without(self, room):
        bound(turns_a_day=1)
        room.say("sam", "in depth", "agent:mirror", dispatch="child_session")
        assert used() == 1
        assert room.refused("sam", "more", "agent:mirror", dispatch="child_session").code == "over_budget"
        assert Session.objects.filter(parent=room.session).count() == 1

    def test_a_repeat_of_what_was_kept_is_answered_whatever_is_left(self, room):
        bound(turns_a_day=1)
        first = room.say("sam", "one", "active_agent", client_key="k")
        assert room.say("sam", "one", "active_agent", client_key="k").id == first.id


class TestTokens:
    def note(self, room: Room, given: int, got: int) -> None:
        usage.note(room.seat("mirror").id, usage.ANSWER, given, got)

    def test_they_are_charged_once_when_they_are_collected(self, room):
        bound(tokens_a_day=1000)
        self.note(room, 300, 50)
        for _ in range(2):
            collect(room.session.id)
        assert used(budget.TOKENS) == 350
        assert not Usage.objects.filter(charged_at=None).exists()

    def test_the_sweep_finds_those_that_nobody_collected(self, room):
        bound(tokens_a_day=1000)
        self.note(room, 10, 1)
        sweep()
        assert used(budget.TOKENS) == 11

    def test_beyond_them_nothing_is_taken_and_what_waits_is_rejected(self, room):
        bound(tokens_a_day=100)
        room.say("sam", "first", "active_agent")
        waits = room.say("sam", "second", "active_agent")
        self.note(room, 90, 30)
        answered(room)
        assert room.delivery(waits, "mirror").reason == "over_budget"
        assert room.refused("sam", "third", "active_agent").code == "over_budget"

    def test_a_server_that_says_nonsense_breaks_nothing(self, room):
        bound(tokens_a_day=100)
        for given, got in ((10**12, 0), (10**12, 10**12), (-5, 0)):
            self.note(room, given, got)
        collect(room.session.id)
        assert used(budget.TOKENS) == 2**31 - 1


class TestWarnings:
    def test_four_fifths_are_told_once(self, room, caplog, django_capture_on_commit_callbacks):
        bound(turns_a_day=5)
        with caplog.at_level(logging.WARNING, logger="messaging.roster.budget"):
            for n in range(5):
                with django_capture_on_commit_callbacks(execute=True):
                    room.say("sam", f"question {n}", "active_agent")
                    answered(room)
                assert len(caplog.records) == (1 if n >= 3 else 0)
        assert "turns" in caplog.text
        assert "question" not in caplog.text

    def test_how_it_stands_is_told_of_who_has_one_alone(self, room):
        bound(turns_a_day=5, tokens_a_day=10)
        room.say("sam", "one", "active_agent")
        ids = list(Agent.objects.values_list("id", flat=True))
        [stands] = budget.standing(ids).values()
        assert [(one.what, one.used, one.bound, one.near, one.over) for one in stands] == [
            ("turns", 1, 5, False, False), ("tokens", 0, 10, False, False),
        ]  # fmt: skip


class TestTheDay:
    @pytest.mark.parametrize(
        ("zone", "now", "begins", "renews"),
        [
            ("UTC", "2026-03-10T13:00+00:00", "2026-03-10T00:00+00:00", "2026-03-11T00:00+00:00"),
            ("Europe/Berlin", "2026-03-10T23:30+00:00", "2026-03-10T23:00+00:00", "2026-03-11T23:00+00:00"),
            ("Europe/Berlin", "2026-03-29T12:00+00:00", "2026-03-28T23:00+00:00", "2026-03-29T22:00+00:00"),
            ("Europe/Berlin", "2026-10-25T12:00+00:00", "2026-10-24T22:00+00:00", "2026-10-25T23:00+00:00"),
        ],
    )
    def test_it_begins_and_ends_at_midnight_of_the_zone(self, monkeypatch, zone, now, begins, renews):
        monkeypatch.setattr("django.utils.timezone.get_default_timezone", lambda: ZoneInfo(zone))
        moment = datetime.fromisoformat(now)
        assert budget.begins(moment) == datetime.fromisoformat(begins)
        assert budget.renews(moment) == datetime.fromisoformat(renews)


def test_seats_of_an_agent_are_what_is_bounded(room):
    """A budget is the agent's wherever it sits."""
    bound(turns_a_day=1)
    from messaging.actions.ask_privately import ask_privately

    made = ask_privately(person("mo"), "mirror", "hello")
    assert Seat.objects.filter(session=made.id).exists()
    assert room.refused("sam", "here too", "active_agent").code == "over_budget"
