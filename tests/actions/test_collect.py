"""Clearing, collecting, sweeping: what agents did comes into the transcript once, in order, however often it is asked."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from messaging.actions.clear import clear
from messaging.actions.collect import collect
from messaging.actions.leave import leave
from messaging.actions.sweep import sweep
from messaging.journal.models import Entry
from messaging.mailbox import wake
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Transition, TurnStep, Utterance
from messaging.mailbox.say import answer, fail
from messaging.mailbox.wake import Wake
from messaging.roster.models import Account, Membership, Session
from messaging.transcript import read
from messaging.transcript.history import history
from messaging.transcript.models import Message
from tests.cast import Room, agent, frames, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


@pytest.fixture
def woken(django_capture_on_commit_callbacks):
    """The seats woken by what `woken(work)` does."""

    def run(work):
        lines: list[wake.Line] = []
        wake.install(lines.append)
        try:
            with django_capture_on_commit_callbacks(execute=True):
                work()
        finally:
            wake.install(wake._nowhere)
        return [line.seat for line in lines if isinstance(line, Wake)]

    return run


def answered(room, text="an answer"):
    """One turn of mirror's, said and not yet collected."""
    held = claim(room.seat("mirror").id)
    assert held is not None
    answer(held, text)
    return held


def states(room, message, viewer="alex"):
    return [row.state for row in history(person(viewer), message.id) if row.kind == "disposition"]


def test_an_answer_comes_in_through_the_front_door_and_links_its_question(room):
    question = room.say("alex", "a question", "active_agent")
    answered(room)
    collect(room.session.id)
    said = Message.objects.get(author_kind="agent")
    assert (said.text, said.audience, str(said.answers_id), said.to) == ("an answer", "everyone", question.id, ["alex"])
    assert states(room, question) == ["accepted", "queued", "delivered", "responded"]


def test_asked_again_it_does_nothing(room):
    room.say("alex", "a question", "active_agent")
    answered(room)
    for _ in range(3):
        collect(room.session.id)
    assert Message.objects.filter(author_kind="agent").count() == 1
    assert Entry.objects.count() == Entry.objects.values("session", "seq").distinct().count()
    assert not Transition.objects.filter(journaled=False).exists()
    assert not TurnStep.objects.filter(journaled=False).exists()


def test_every_step_has_its_entry_in_order(room):
    question = room.say("alex", "a question", "active_agent")
    answered(room)
    collect(room.session.id)
    wanted = [str(one) for one in Transition.objects.order_by("delivery__place", "step").values_list("id", flat=True)]
    steps = Transition.objects.filter(delivery__message=question.id).order_by("step").values_list("id", flat=True)
    seqs = [Entry.objects.get(kind="disposition", ref=step).seq for step in steps]
    assert seqs == sorted(seqs)
    assert set(map(str, Entry.objects.filter(kind="disposition").values_list("ref", flat=True))) == set(wanted)


def test_the_answer_is_not_delivered_to_who_gave_it_and_reaches_the_other_seat_without_re(room):
    room.say("alex", "a question", "active_agent")
    answered(room)
    collect(room.session.id)
    said = Message.objects.get(author_kind="agent")
    row = Delivery.objects.get(message=said.id)
    assert (row.seat.handle, row.re) == ("scout", None)


def test_a_session_may_keep_answers_among_people(room):
    Session.objects.filter(id=room.session.id).update(answers="participants")
    room.say("alex", "a question", "active_agent")
    answered(room)
    collect(room.session.id)
    said = Message.objects.get(author_kind="agent")
    assert said.audience == "participants"
    assert not Delivery.objects.filter(message=said.id).exists()


def test_an_agents_own_question_is_handed_on_like_a_persons(room):
    Session.objects.filter(id=room.session.id).update(active_agent=agent("mirror").id)
    room.say("alex", "one", "active_agent")
    waiting = room.say(agent("scout"), "two", "active_agent")
    answered(room)
    collect(room.session.id)
    assert room.delivery(waiting, "mirror").cleared_at is not None


def test_an_answer_that_may_not_be_said_any_more_leaves_a_reason(room):
    question = room.say("alex", "a question", "active_agent")
    answered(room)
    leave(Membership.objects.get(session=room.session, agent__handle__spelled="mirror"))
    for _ in range(2):
        collect(room.session.id)
    [turn] = read.turns(person("alex"), room.session)
    assert (turn.state, turn.reason) == ("finished", "answer_refused")
    assert states(room, question)[-1] == "delivered"
    assert not Message.objects.filter(author_kind="agent").exists()


def test_the_next_question_is_cleared_when_the_turn_has_ended(room, woken):
    room.say("alex", "one", "active_agent")
    second = room.say("sam", "two", "active_agent")
    answered(room)
    assert room.delivery(second, "mirror").cleared_at is None
    assert woken(lambda: collect(room.session.id)) == [room.seat("mirror").id]
    assert room.delivery(second, "mirror").cleared_at is not None


def test_a_failed_turn_leaves_its_question_delivered(room):
    """F19: delivered stays delivered; the turn says failed."""
    question = room.say("alex", "a question", "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    fail(held, "provider_auth")
    collect(room.session.id)
    assert states(room, question)[-1] == "delivered"
    [turn] = read.turns(person("alex"), room.session)
    assert (turn.state, turn.reason, turn.retryable) == ("failed", "provider_auth", False)


@pytest.mark.parametrize(
    ("lose", "reason"),
    [
        (lambda room: leave(Membership.objects.get(session=room.session, person__handle__spelled="sam")), "not_member"),
        (lambda _: Membership.objects.filter(person__handle__spelled="sam").update(role="viewer"), "no_capability"),
        (lambda room: Account.objects.filter(username="sam").update(is_active=False), "disabled"),
        (lambda room: Session.objects.filter(id=room.session.id).update(closed_at=timezone.now()), "session_closed"),
    ],
    ids=["left", "demoted", "disabled", "closed"],
)
def test_rights_are_read_again_when_a_question_is_handed_on(room, lose, reason):
    room.say("alex", "one", "active_agent")
    waiting = room.say("sam", "two", "active_agent")
    lose(room)
    answered(room)
    collect(room.session.id)
    row = room.delivery(waiting, "mirror")
    assert (row.state, row.reason, row.cleared_at) == ("rejected", reason, None)


def test_who_kept_the_right_is_handed_on(room):
    room.say("alex", "one", "active_agent")
    waiting = room.say("sam", "two", "active_agent")
    answered(room)
    collect(room.session.id)
    assert room.delivery(waiting, "mirror").state == "queued"
    assert room.delivery(waiting, "mirror").cleared_at is not None


def test_leaving_rejects_what_waits_in_the_same_breath(room):
    first, waiting = room.say("alex", "one", "active_agent"), room.say("sam", "two", "active_agent")
    leave(Membership.objects.get(session=room.session, person__handle__spelled="sam"))
    assert room.delivery(waiting, "mirror").state == "rejected"
    assert room.delivery(first, "mirror").state == "queued"


def test_unseating_an_agent_rejects_what_waits_before_it(room):
    waiting = room.say("alex", "one", "active_agent")
    leave(Membership.objects.get(session=room.session, agent__handle__spelled="mirror"))
    row = room.delivery(waiting, "mirror")
    assert (row.state, row.reason) == ("rejected", "seat_gone")
    assert claim(room.seat("mirror").id) is None


def test_the_sweep_finds_what_nobody_was_told_of(room, woken):
    question = room.say("alex", "a question", "active_agent")
    assert woken(sweep) == [room.seat("mirror").id]
    answered(room)
    sweep()
    assert states(room, question)[-1] == "responded"
    assert woken(sweep) == []


def test_the_sweep_clears_what_was_left_uncleared(room):
    waiting = room.say("alex", "a question", "active_agent")
    Delivery.objects.filter(message=waiting.id).update(cleared_at=None)
    sweep()
    assert room.delivery(waiting, "mirror").cleared_at is not None


def test_the_sweep_drops_old_pieces_and_keeps_answers(room):
    room.say("alex", "a question", "active_agent")
    held = answered(room)
    collect(room.session.id)
    Utterance.objects.create(
        seat_id=held.seat, turn_id=held.turn, kind="piece", attempt=1, n=99, text="x", said_at=timezone.now()
    )
    sweep()
    assert Utterance.objects.filter(kind="piece").exists()
    from messaging.mailbox.models import Turn

    Turn.objects.update(ended_at=timezone.now() - timedelta(minutes=5))
    sweep()
    assert not Utterance.objects.filter(kind="piece").exists()
    assert Utterance.objects.filter(kind="answer").count() == 1


def test_clearing_an_unknown_session_does_nothing():
    clear(uuid4())
    collect(uuid4())
    assert not Entry.objects.exclude(kind="member").exists()


def test_a_try_that_failed_is_told_though_its_turn_goes_on(room):
    question = room.say("alex", "a question", "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    fail(held, "provider_busy", 1.0)
    before = Entry.objects.filter(session=room.session.id).count()
    for _ in range(2):
        collect(room.session.id)
    told = [frame for frame in frames(room.session.id) if frame.kind == "turn"]
    assert [(frame.body.state, [one.state for one in frame.body.attempts]) for frame in told] == [
        ("running", ["failed"])
    ] * 2
    assert Entry.objects.filter(session=room.session.id, kind="attempt").count() == 1
    assert states(room, question)[-1] == "delivered"
    assert Entry.objects.filter(session=room.session.id).count() == before + 3
