"""Steering: who may, what becomes of it, and that nothing vanishes or slips into another turn."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from messaging.actions import facts, steering
from messaging.actions.collect import collect
from messaging.actions.draft import Draft, Posted
from messaging.actions.join import join
from messaging.actions.post import post
from messaging.domain.capability import Role
from messaging.domain.turn import MAX_STEPS
from messaging.mailbox import wake
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery
from messaging.mailbox.say import answer, fail
from messaging.roster.models import Installation, Person, Session
from messaging.transcript import read
from messaging.transcript.history import history
from messaging.transcript.models import Message
from tests.actions.deeds import at_work
from tests.cast import Room, agent, frames, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room() -> Room:
    return Room.open()


def steer(room: Room, who: str, text: str = "rather so", said: str | None = "active_agent", **more):
    return room.say(who, text, said, delivery="steer", **more)


def fate(room: Room, message) -> tuple[str, str]:
    row = room.delivery(message, "mirror")
    return row.state, row.reason


def trail(message) -> list[tuple[str, str]]:
    return [(row.state, row.reason) for row in history(person("alex"), message.id) if row.kind == "disposition"]


def test_a_steer_is_asked_for_cleared_and_told_at_the_next_step(room):
    held = at_work(room)
    message = steer(room, "mo")
    [shown] = message.deliveries
    row = room.delivery(message, "mirror")
    assert (shown.disposition, shown.reason, shown.turn) == ("steering_requested", "", str(held.turn))
    assert (row.state, row.turn, row.cleared_at is not None) == ("steering_requested", held.turn, True)
    assert answer(held, "first") is True
    collect(room.session.id)
    assert trail(message) == [("accepted", ""), ("steering_requested", ""), ("delivered", "")]


def test_steering_an_idle_agent_queues_and_says_so(room):
    """F16: it never vanishes: it waits its turn, and is taken as a question of its own."""
    message = steer(room, "sam")
    assert [(one.disposition, one.reason) for one in message.deliveries] == [("queued", "idle")]
    assert trail(message) == [("accepted", ""), ("queued", "idle")]
    held = claim(room.seat("mirror").id)
    assert held is not None
    assert held.input == room.delivery(message, "mirror").id
    answer(held, "an answer")
    collect(room.session.id)
    assert trail(message)[-2:] == [("delivered", ""), ("responded", "")]


def test_a_steer_after_the_end_queues_and_starts_a_turn_of_its_own(room):
    """F16, with the answer not even collected: the turn is over, and nothing is put into it."""
    held = at_work(room)
    answer(held, "done")
    message = steer(room, "sam")
    assert fate(room, message) == ("queued", "idle")
    assert room.delivery(message, "mirror").turn is None


def test_a_connected_agent_cannot_be_steered_so_it_waits(room):
    Session.objects.filter(id=room.session.id).update(active_agent=agent("scout").id)
    for message in (steer(room, "sam"), steer(room, "sam", said="agent:scout", dispatch="future_turn")):
        assert [(one.agent, one.disposition, one.reason) for one in message.deliveries] == [
            ("scout", "queued", "no_steering")
        ]


def test_a_turn_for_the_installations_owner_is_theirs_alone_to_steer(room):
    Installation.objects.update_or_create(id=1, defaults={"owner": Person.objects.get(handle__spelled="alex")})
    held = at_work(room, "alex")
    others, mine = steer(room, "sam"), steer(room, "alex")
    assert fate(room, others) == ("queued", "not_yours")
    assert fate(room, mine) == ("steering_requested", "")
    assert room.delivery(others, "mirror").cleared_at is None
    assert answer(held, "first") is True
    assert answer(held, "second") is False
    collect(room.session.id)
    assert fate(room, others) == ("queued", "not_yours")
    assert fate(room, mine) == ("responded", "")


def test_a_turn_for_anybody_else_may_be_steered_by_whoever_may_steer(room):
    Installation.objects.update_or_create(id=1, defaults={"owner": Person.objects.get(handle__spelled="alex")})
    at_work(room, "sam")
    assert [fate(room, steer(room, who))[0] for who in ("alex", "mo", "sam")] == ["steering_requested"] * 3


def test_an_agent_with_the_owners_handle_as_another_kind_of_author_does_not_count_as_the_owner(room):
    """The kind belongs to the name: what an agent asked is no turn of a person's."""
    Installation.objects.update_or_create(id=1, defaults={"owner": Person.objects.get(handle__spelled="alex")})
    held = at_work(room, "sam")
    Delivery.objects.filter(id=held.input).update(author="alex", author_kind="agent")
    assert fate(room, steer(room, "mo"))[0] == "steering_requested"


def test_in_the_last_step_it_is_too_late_at_once(room):
    held = at_work(room)
    for n in range(1, MAX_STEPS):
        steer(room, "sam", f"steer {n}")
        assert answer(held, f"step {n}")
    message = steer(room, "sam", "one more")
    [shown] = message.deliveries
    assert (shown.disposition, shown.reason, shown.turn) == ("too_late", "steps_used_up", str(held.turn))
    assert trail(message) == [("accepted", ""), ("steering_requested", ""), ("too_late", "steps_used_up")]
    assert answer(held, "last") is False
    collect(room.session.id)
    assert fate(room, message) == ("too_late", "steps_used_up")
    assert claim(room.seat("mirror").id) is None, "it starts no turn by itself"


def test_the_answer_responds_to_the_question_and_to_every_steer_that_it_took(room):
    held = at_work(room)
    taken = [steer(room, "sam", "one"), steer(room, "mo", "two")]
    answer(held, "first")
    answer(held, "second")
    collect(room.session.id)
    said = Message.objects.get(author_kind="agent")
    assert (said.text, said.turn) == ("first\n\nsecond", held.turn)
    for message in taken:
        assert trail(message)[-2:] == [("delivered", ""), ("responded", "")]
        assert room.delivery(message, "mirror").turn == held.turn
    [turn] = read.turns(person("alex"), room.session)
    assert (turn.window, turn.steers) == ("closed", [one.id for one in taken])
    assert Message.objects.filter(answers__isnull=False).count() == 1


def test_a_steer_that_came_too_late_is_not_answered(room):
    held = at_work(room)
    message = steer(room, "mo")
    fail(held, "provider_auth")
    collect(room.session.id)
    assert trail(message)[-1] == ("too_late", "turn_ended")
    [turn] = read.turns(person("alex"), room.session)
    assert turn.steers == []


def test_a_turn_that_fails_after_it_was_steered_leaves_both_delivered_and_sends_neither_again(room):
    """F19: what was handed over stays delivered; only somebody's own word sends it again."""
    held = at_work(room)
    message = steer(room, "mo")
    answer(held, "first")
    fail(held, "provider_auth")
    for _ in range(2):
        collect(room.session.id)
    assert {row.state for row in Delivery.objects.filter(turn=held.turn)} == {"delivered"}
    assert trail(message)[-1] == ("delivered", "")
    assert claim(room.seat("mirror").id) is None
    assert not Message.objects.filter(author_kind="agent").exists()


def test_what_is_said_by_the_way_does_not_go_along_with_a_steer_and_nobody_is_woken(room, monkeypatch):
    """A turn has its context from when it began; what came since goes along with the next question."""
    at_work(room)
    context = room.say("mo", "by the way", "everyone")
    woken: list[wake.Line] = []
    monkeypatch.setattr(wake, "send", woken.append)
    steer(room, "sam")
    assert room.delivery(context, "mirror").cleared_at is None
    assert woken == []


def test_everybody_sees_each_step_of_it(room):
    held = at_work(room)
    message = steer(room, "mo")
    answer(held, "first")
    collect(room.session.id)
    told = [frame for frame in frames(room.session.id) if frame.about and frame.about.id == message.id]
    steps = [frame.body.disposition for frame in told if frame.kind == "disposition"]
    assert steps == ["accepted", "steering_requested", "delivered"]


def test_who_may_speak_to_the_agent_but_not_steer_is_refused_and_nothing_is_kept(room):
    at_work(room)
    Session.objects.filter(id=room.session.id).update(roles={"member": ["post_human", "post_agent"]})
    before = Message.objects.count()
    refusal = room.refused("sam", "rather so", "active_agent", delivery="steer")
    assert (refusal.status, refusal.code, refusal.capability) == (403, "no_capability", "steer")
    assert Message.objects.count() == before
    assert room.say("sam", "then later", "active_agent").deliveries[0].disposition == "queued"


def test_who_may_steer_but_not_speak_to_the_agent_is_refused(room):
    at_work(room)
    Session.objects.filter(id=room.session.id).update(roles={"member": ["post_human", "steer"]})
    assert room.refused("sam", "rather so", "active_agent", delivery="steer").capability == "post_agent"


@pytest.mark.parametrize("who", ["vic", "gus"])
def test_roles_that_may_not_speak_to_the_agent_may_not_steer_it(room, who):
    at_work(room)
    assert room.refused(who, "rather so", "active_agent", delivery="steer").status == 403


def test_an_agent_steers_nobody(room):
    at_work(room)
    assert room.refused(agent("scout"), "rather so", "active_agent", delivery="steer").capability == "steer"


@pytest.mark.parametrize("said", ["participants", "participant:sam", "everyone"])
def test_only_what_is_for_one_agent_steers(room, said):
    at_work(room)
    refusal = room.refused("alex", "rather so", said, delivery="steer")
    assert (refusal.status, refusal.field) == (422, "delivery")


def test_a_reply_to_the_agent_steers_it_too(room):
    held = at_work(room)
    said = room.say(agent("mirror"), "earlier words", "everyone")
    message = steer(room, "sam", said=None, reply_to=UUID(said.id))
    assert room.delivery(message, "mirror").turn == held.turn


def test_it_is_charged_and_bounded_like_any_question(room):
    at_work(room)
    for n in range(16):
        steer(room, ("alex", "sam")[n % 2], f"steer {n}")
    refusal = room.refused("mo", "one more", "active_agent", delivery="steer")
    assert (refusal.status, refusal.code) == (429, "queue_full")


def test_the_same_request_again_gives_the_original_and_as_a_question_it_is_another(room):
    at_work(room)
    key = str(uuid4())
    first, again = (room.post("sam", "so", "active_agent", delivery="steer", client_key=key) for _ in range(2))
    assert (first.created, again.created, again.message.id) == (True, False, first.message.id)
    assert room.refused("sam", "so", "active_agent", client_key=key).status == 409


def test_a_question_and_a_steer_in_one_batch_do_not_change_places(room):
    held = at_work(room)
    drafts = [
        Draft(person("sam"), room.session.id, "later", "active_agent"),
        Draft(person("mo"), room.session.id, "now", "active_agent", delivery="steer"),
    ]
    assert all(isinstance(one, Posted) for one in post(drafts))
    answer(held, "first")
    assert {row.text for row in Delivery.objects.filter(turn=held.turn)} == {"a question", "now"}
    answer(held, "second")
    collect(room.session.id)
    following = claim(room.seat("mirror").id)
    assert following is not None
    assert Delivery.objects.get(id=following.input).text == "later"


def test_only_a_batch_in_which_somebody_steers_looks_at_what_runs_and_then_once(room, monkeypatch):
    """The fast way stays as short as it was."""
    at_work(room)
    asked: list[int] = []
    monkeypatch.setattr(facts, "at_work", lambda seats: asked.append(len(seats)) or steering.at_work(seats))
    who = person("sam")
    post([Draft(who, room.session.id, "so", "active_agent") for _ in range(3)])
    assert asked == []
    post([Draft(who, room.session.id, "so", "active_agent", delivery="steer") for _ in range(3)])
    assert len(asked) == 1


def test_a_right_that_is_lost_takes_what_was_to_steer_with_it(room):
    held = at_work(room, "alex")
    message = steer(room, "sam")
    join(room.session, Person.objects.get(handle__spelled="sam"), Role.VIEWER)
    assert fate(room, message) == ("rejected", "no_capability")
    assert answer(held, "done") is False


def test_the_turn_is_shown_as_open_to_steering_while_it_runs(room):
    at_work(room)
    [turn] = read.turns(person("alex"), room.session)
    assert (turn.state, turn.window, turn.steers) == ("running", "open", [])
