"""Whatever takes a right away takes what waits along, in the same transaction; what an agent was shown stays as it is.

Each loss meets three questions of Sam's: one that waits uncleared, one cleared that nobody has claimed, and one that is
to steer a running turn. Beside each stands somebody else's, to which nothing happens, and a loss that is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import pytest
from django.db import transaction
from django.utils import timezone

from messaging.actions.clear import clear
from messaging.actions.close_account import close_account, open_account
from messaging.actions.close_agent import close_agent, open_agent
from messaging.actions.close_session import close_session
from messaging.actions.collect import collect
from messaging.actions.configure import configure
from messaging.actions.manage_members import add_member, change_role, remove_member
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Turn
from messaging.mailbox.say import answer
from messaging.roster.models import Account, Agent, Membership, Session
from messaging.transcript.view import MessageView
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db

MEMBER = ["post_human", "post_agent", "dispatch_agent", "direct_message", "steer", "stop"]


def without(*capabilities: str) -> dict[str, list[str]]:
    return {"member": [one for one in MEMBER if one not in capabilities]}


@dataclass
class Loss:
    """What is done, and the reason that what Sam said is rejected with; whether it concerns Mo's, too."""

    do: Callable[[Room], object]
    reason: str
    all: bool = False


LOSSES = {
    "removed": Loss(lambda room: remove_member(person("alex"), room.session, "sam"), "not_member"),
    "left": Loss(lambda room: remove_member(person("sam"), room.session, "sam"), "not_member"),
    "demoted": Loss(lambda room: change_role(person("alex"), room.session, "sam", "viewer"), "no_capability"),
    "overridden": Loss(
        lambda room: configure(person("alex"), room.session, roles=without("post_agent")), "no_capability"
    ),
    "account closed": Loss(lambda _: close_account(person("alex"), "sam"), "disabled"),
    "session closed": Loss(lambda room: close_session(person("alex"), room.session), "session_closed", all=True),
    "agent closed": Loss(lambda _: close_agent(person("alex"), "mirror"), "not_available", all=True),
    "agent removed": Loss(lambda room: remove_member(person("alex"), room.session, "mirror"), "seat_gone", all=True),
}  # fmt: skip
NONE = {
    "a title": lambda room: configure(person("alex"), room.session, title="Home"),
    "a promotion": lambda room: change_role(person("alex"), room.session, "sam", "moderator"),
    "another's demotion": lambda room: change_role(person("alex"), room.session, "gus", "viewer"),
    "another's account": lambda _: close_account(person("alex"), "gus"),
    "another agent": lambda _: close_agent(person("alex"), "scout"),
    "another role's list": lambda room: configure(person("alex"), room.session, roles={"guest": []}),
    "what this takes not": lambda room: configure(person("alex"), room.session, roles=without("dispatch_agent")),
    "guests made public": lambda room: configure(person("alex"), room.session, guests_public=True),
    "the same list": lambda room: configure(person("alex"), room.session, roles=None),
}  # fmt: skip


@pytest.fixture
def room() -> Room:
    return Room.open()


def ask(room: Room, who: str) -> MessageView:
    return room.say(who, f"a question of {who}", "active_agent")


def uncleared(room: Room) -> tuple[MessageView, MessageView]:
    """Behind Alex's, which is cleared."""
    ask(room, "alex")
    own, other = ask(room, "sam"), ask(room, "mo")
    assert room.delivery(own, "mirror").cleared_at is None
    return own, other


def cleared(room: Room) -> tuple[MessageView, MessageView]:
    own, other = ask(room, "sam"), ask(room, "mo")
    assert room.delivery(own, "mirror").cleared_at is not None
    return own, other


def steering(room: Room) -> tuple[MessageView, MessageView]:
    """While the turn of Mo's works on it."""
    ask(room, "mo")
    assert claim(room.seat("mirror").id) is not None
    own, other = (room.say(who, "rather so", "active_agent", delivery="steer") for who in ("sam", "mo"))
    assert room.delivery(own, "mirror").state == "steering_requested"
    return own, other


PLACES = [uncleared, cleared, steering]


def fate(room: Room, message: MessageView) -> tuple[str, str]:
    row = Delivery.objects.get(message=message.id, seat__handle="mirror")
    return row.state, row.reason


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_what_waits_is_rejected_at_once_and_no_agent_takes_it(room, place, loss):
    own, other = place(room)
    kept = fate(room, other)
    loss.do(room)
    assert fate(room, own) == ("rejected", loss.reason)
    assert fate(room, other) == (("rejected", loss.reason) if loss.all else kept)
    clear(room.session.id)
    while (held := claim(room.seat("mirror").id)) is not None:
        answer(held, "an answer")
        collect(room.session.id)
    assert Delivery.objects.get(message=own.id).delivered_at is None
    assert not Turn.objects.filter(input__message=own.id).exists()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("change", NONE.values(), ids=NONE)
def test_what_takes_nothing_away_rejects_nothing(room, place, change):
    own, other = place(room)
    before = fate(room, own), fate(room, other)
    change(room)
    assert (fate(room, own), fate(room, other)) == before


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_a_loss_that_is_rolled_back_rejects_nothing(room, loss):
    own, _ = cleared(room)
    with pytest.raises(RuntimeError), transaction.atomic():
        loss.do(room)
        raise RuntimeError
    assert fate(room, own) == ("queued", "")


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_what_the_agent_was_shown_stays_delivered(room, loss):
    own, _ = cleared(room)
    assert claim(room.seat("mirror").id) is not None
    loss.do(room)
    assert fate(room, own) == ("delivered", "")


def test_whoever_may_not_steer_any_more_loses_the_steer_and_keeps_the_question(room):
    own, other = steering(room)
    question = ask(room, "sam")
    configure(person("alex"), room.session, roles=without("steer"))
    assert fate(room, own) == ("rejected", "no_capability")
    assert fate(room, other) == ("steering_requested", "")
    assert fate(room, question) == ("queued", "")


def test_what_was_behind_a_rejected_question_is_cleared_in_its_place(room):
    _, other = cleared(room)
    assert room.delivery(other, "mirror").cleared_at is None
    remove_member(person("alex"), room.session, "sam")
    held = claim(room.seat("mirror").id)
    assert held is not None
    assert Turn.objects.get(id=held.turn).input.message == UUID(other.id)


class TestGuests:
    def test_guests_who_are_public_no_more_lose_what_they_asked(self, room):
        configure(person("alex"), room.session, guests_public=True)
        first, own, other = ask(room, "alex"), ask(room, "gus"), ask(room, "sam")
        configure(person("alex"), room.session, guests_public=False)
        assert fate(room, own) == ("rejected", "no_capability")
        assert [fate(room, one) for one in (first, other)] == [("queued", "")] * 2

    def test_a_list_of_their_own_outlives_it(self, room):
        configure(person("alex"), room.session, guests_public=True, roles={"guest": ["post_human", "post_agent"]})
        own = ask(room, "gus")
        configure(person("alex"), room.session, guests_public=False)
        assert fate(room, own) == ("queued", "")
        configure(person("alex"), room.session, roles={"guest": None})
        assert fate(room, own) == ("rejected", "no_capability")


class TestAgents:
    """What agents said waits before others, and is theirs as people's is."""

    def said(self, room: Room) -> MessageView:
        return room.say(agent("scout"), "please", "active_agent")

    @pytest.mark.parametrize(
        ("lose", "reason"),
        [
            (lambda room: remove_member(person("alex"), room.session, "scout"), "not_member"),
            (lambda room: configure(person("alex"), room.session, roles={"agent": ["post_human"]}), "no_capability"),
            (lambda _: close_agent(person("alex"), "scout"), "disabled"),
        ],
        ids=["removed", "overridden", "closed"],
    )
    def test_what_it_said_is_rejected_with_its_right(self, room, lose, reason):
        own, other = self.said(room), ask(room, "sam")
        lose(room)
        assert fate(room, own) == ("rejected", reason)
        assert fate(room, other) == ("queued", "")

    def test_its_mail_is_rejected_with_the_agent_and_nobody_elses(self, room):
        own = room.say("alex", "for scout", "agent:scout", dispatch="future_turn")
        all_of = room.say("alex", "for all", "everyone")
        close_agent(person("alex"), "scout")
        assert (room.delivery(own, "scout").state, room.delivery(own, "scout").reason) == ("rejected", "not_available")
        assert room.delivery(all_of, "scout").state == "rejected"
        assert room.delivery(all_of, "mirror").state == "queued"


class TestClearing:
    """Rights are read once more when a question is handed on, however they were lost."""

    @pytest.mark.parametrize(
        ("lose", "reason"),
        [
            (lambda room: Membership.objects.filter(person__handle__spelled="sam").update(role="viewer"), "no_capability"),
            (lambda room: Membership.objects.filter(person__handle__spelled="sam").update(left_at=timezone.now()), "not_member"),
            (lambda room: Account.objects.filter(username="sam").update(is_active=False), "disabled"),
            (lambda room: Session.objects.filter(id=room.session.id).update(roles={"member": []}), "no_capability"),
            (lambda room: Agent.objects.filter(handle__spelled="mirror").update(enabled=False), "not_available"),
        ],
        ids=["demoted", "gone", "disabled", "overridden", "agent"],
    )  # fmt: skip
    def test_a_right_lost_by_hand_is_found_when_its_question_is_cleared(self, room, lose, reason):
        ask(room, "alex")
        own = ask(room, "sam")
        held = claim(room.seat("mirror").id)
        answer(held, "an answer")
        lose(room)
        collect(room.session.id)
        row = room.delivery(own, "mirror")
        assert (row.state, row.reason, row.cleared_at) == ("rejected", reason, None)

    def test_context_goes_along_only_where_its_author_may_still_say_it(self, room):
        ask(room, "alex")
        held = claim(room.seat("mirror").id)
        lost, kept = room.say("sam", "by the way", "everyone"), room.say("mo", "by the way", "everyone")
        question = ask(room, "alex")
        Membership.objects.filter(session=room.session, person__handle__spelled="sam").update(role="viewer")
        answer(held, "an answer")
        collect(room.session.id)
        assert fate(room, lost) == ("rejected", "no_capability")
        assert room.delivery(kept, "mirror").cleared_at is not None
        assert room.delivery(question, "mirror").cleared_at is not None


class TestWhatCouldComeAfterwards:
    def test_an_agent_out_of_use_is_asked_nothing_more_and_says_so(self, room):
        close_agent(person("alex"), "mirror")
        refusal = room.refused("alex", "hi", "active_agent")
        assert (refusal.status, refusal.code) == (422, "not_available")
        assert "mirror" in refusal.detail
        close_agent(person("alex"), "scout")
        refusal = room.refused("alex", "hi", "agent:scout", dispatch="future_turn")
        assert (refusal.status, refusal.code) == (422, "not_available")

    def test_and_is_told_nothing_that_is_for_everyone(self, room):
        close_agent(person("alex"), "scout")
        message = room.say("alex", "for all", "everyone")
        assert [one.agent for one in message.deliveries] == ["mirror"]

    def test_in_use_again_it_is_asked_again(self, room):
        close_agent(person("alex"), "mirror")
        open_agent(person("alex"), "mirror")
        ask(room, "sam")
        assert claim(room.seat("mirror").id) is not None

    def test_a_turn_of_an_agent_taken_out_of_use_ends_and_its_answer_is_not_posted(self, room):
        ask(room, "sam")
        held = claim(room.seat("mirror").id)
        close_agent(person("alex"), "mirror")
        turn = Turn.objects.get(id=held.turn)
        assert (turn.state, turn.reason) == ("stopped", "stopped")
        assert turn.steps.filter(journaled=False).count() == 1  # its first, which the agents wrote
        collect(room.session.id)
        assert not turn.steps.filter(journaled=False).exists()

    def test_whose_account_is_open_again_asks_again_and_what_was_rejected_stays_so(self, room):
        own, _ = cleared(room)
        close_account(person("alex"), "sam")
        open_account(person("alex"), "sam")
        assert fate(room, own) == ("rejected", "disabled")
        assert fate(room, ask(room, "sam")) == ("queued", "")

    def test_who_comes_back_as_a_member_finds_the_rejected_rejected(self, room):
        own, _ = cleared(room)
        remove_member(person("alex"), room.session, "sam")
        add_member(person("alex"), room.session, "sam", "member")
        assert fate(room, own) == ("rejected", "not_member")
