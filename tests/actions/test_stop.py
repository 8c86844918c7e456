"""Stopping: whose turn ends, what is taken back, and what of others stays as it is."""

from __future__ import annotations

import pytest

from messaging.actions.collect import collect
from messaging.actions.leave import leave
from messaging.actions.stop import stop
from messaging.journal.models import Entry
from messaging.mailbox import lease, say, wake
from messaging.mailbox.claim import claim
from messaging.mailbox.lease import LeaseLost
from messaging.mailbox.models import Attempt, Delivery, Transition, Turn, TurnStep, Utterance
from messaging.roster.access import Forbidden, Hidden
from messaging.roster.models import Membership, Session
from messaging.transcript import read
from messaging.transcript.models import AuditEntry, Message
from tests.actions.deeds import at_work
from tests.cast import Room, frames, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room() -> Room:
    return Room.open()


def halt(room: Room, who: str, scope: str | None = None) -> bool:
    return stop(person(who), room.session, scope)


def fate(room: Room, message) -> tuple[str, str]:
    row = room.delivery(message, "mirror")
    return row.state, row.reason


def test_ones_own_turn_ends_at_once_and_is_never_answered(room):
    held = at_work(room)
    say.piece(held, 1, "half an ans")
    assert halt(room, "sam") is True
    turn, attempt = Turn.objects.get(), Attempt.objects.get()
    assert (turn.state, turn.reason, turn.window, turn.lease_owner) == ("stopped", "stopped", "closed", None)
    assert attempt.state == "stopped"
    for late in (lambda: say.answer(held, "too late"), lambda: say.piece(held, 2, "wer"), lambda: lease.check(held)):
        with pytest.raises(LeaseLost):
            late()
    collect(room.session.id)
    assert not Message.objects.filter(author_kind="agent").exists()
    assert Delivery.objects.get(id=held.input).state == "delivered", "what was told cannot be taken back"


def test_the_house_writes_it_down_at_once(room):
    at_work(room)
    halt(room, "sam")
    step = TurnStep.objects.get(after="stopped")
    assert (step.by, step.reason, step.journaled) == ("sam", "stopped", True)
    assert Entry.objects.filter(kind="turn", ref=step.id).count() == 1
    told = [frame.body for frame in frames(room.session.id) if frame.kind == "turn"]
    assert told[-1].state == "stopped"
    collect(room.session.id)
    assert Entry.objects.filter(kind="turn", ref=step.id).count() == 1


def test_where_nothing_runs_nothing_is_stopped_and_what_waits_of_ones_own_is_taken_back(room):
    assert halt(room, "sam") is False
    waiting = room.say("sam", "a question", "active_agent")
    assert halt(room, "sam") is False
    assert fate(room, waiting) == ("superseded", "stopped")
    assert claim(room.seat("mirror").id) is None
    assert halt(room, "sam") is False


def test_two_people_have_queued_and_one_stops_their_own_turn(room):
    """F17: the other's stays, and is what the agent does next."""
    at_work(room, "sam")
    others, mine = room.say("mo", "mine", "active_agent"), room.say("sam", "more", "active_agent")
    assert halt(room, "sam") is True
    assert fate(room, mine) == ("superseded", "stopped")
    assert fate(room, others)[0] == "queued"
    assert room.delivery(others, "mirror").cleared_at is not None, "it is handed on at once"
    following = claim(room.seat("mirror").id)
    assert following is not None
    assert following.input == room.delivery(others, "mirror").id


def test_the_agent_is_woken_for_what_is_next(room, django_capture_on_commit_callbacks):
    at_work(room, "sam")
    room.say("mo", "mine", "active_agent")
    lines: list[wake.Line] = []
    wake.install(lines.append)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            halt(room, "sam")
    finally:
        wake.install(wake._nowhere)
    assert wake.Wake(room.seat("mirror").id) in lines


def test_a_member_cannot_stop_anothers_turn_and_still_takes_back_their_own(room):
    held = at_work(room, "mo")
    mine = room.say("sam", "more", "active_agent")
    assert halt(room, "sam") is False
    assert Turn.objects.get(id=held.turn).state == "running"
    assert fate(room, mine) == ("superseded", "stopped")


@pytest.mark.parametrize("who", ["alex", "mo"])
def test_owner_and_moderator_stop_whatever_runs_and_leave_what_others_asked(room, who):
    at_work(room, "sam")
    waiting = room.say("sam", "more", "active_agent")
    assert halt(room, who) is True
    assert fate(room, waiting)[0] == "queued"


def test_asked_for_their_own_alone_they_stop_no_other(room):
    at_work(room, "sam")
    assert halt(room, "alex", "own") is False
    assert Turn.objects.get().state == "running"


def test_the_whole_session_is_stopped_by_who_reaches_others_alone(room):
    at_work(room, "sam")
    waiting = [room.say(who, "more", "active_agent") for who in ("sam", "mo", "alex")]
    with pytest.raises(Forbidden) as refused:
        halt(room, "sam", "session")
    assert refused.value.code == "not_yours"
    assert Turn.objects.get().state == "running"
    assert halt(room, "mo", "session") is True
    assert [fate(room, one) for one in waiting] == [("superseded", "stopped")] * 3
    assert claim(room.seat("mirror").id) is None


def test_steers_of_ones_own_are_taken_back_and_those_of_others_are_too_late(room):
    held = at_work(room, "sam")
    mine = room.say("sam", "rather so", "active_agent", delivery="steer")
    others = room.say("mo", "or so", "active_agent", delivery="steer")
    taken = Transition.objects.filter(journaled=False).count()
    assert halt(room, "sam") is True
    assert fate(room, mine) == ("superseded", "stopped")
    assert fate(room, others) == ("too_late", "turn_ended")
    assert {row.turn for row in Delivery.objects.filter(message__in=[mine.id, others.id])} == {held.turn}
    assert Transition.objects.filter(journaled=False).count() == taken, "the house has its own steps in the journal"


def test_ones_own_steer_of_anothers_turn_is_taken_back_and_the_turn_goes_on(room):
    held = at_work(room, "mo")
    mine = room.say("sam", "rather so", "active_agent", delivery="steer")
    assert halt(room, "sam") is False
    assert fate(room, mine) == ("superseded", "stopped")
    assert say.answer(held, "done") is False


def test_what_was_told_stays_told_and_context_keeps_waiting(room):
    context = room.say("sam", "by the way", "everyone")
    at_work(room, "sam")
    later = room.say("sam", "and this", "everyone")
    halt(room, "sam")
    assert (fate(room, context)[0], fate(room, later)[0]) == ("delivered", "queued")


def test_mail_for_a_connected_agent_is_left_alone(room):
    at_work(room, "sam")
    mail = room.say("sam", "when you can", "agent:scout", dispatch="future_turn")
    halt(room, "sam")
    assert room.delivery(mail, "scout").state == "queued"


def test_a_turn_between_two_attempts_is_stopped_too(room):
    held = at_work(room, "sam")
    assert say.fail(held, "provider_cut") is not None
    assert halt(room, "sam") is True
    Turn.objects.update(not_before=None)
    assert claim(room.seat("mirror").id) is None


def test_an_answer_that_was_faster_is_not_taken_back(room):
    held = at_work(room, "sam")
    say.answer(held, "done")
    assert halt(room, "sam") is False
    collect(room.session.id)
    assert Message.objects.get(author_kind="agent").text == "done"


def test_another_sessions_turn_goes_on(room):
    held = at_work(room, "sam")
    other = Session.objects.get(slug="open")
    Membership.objects.create(session=other, person_id=person("sam").id, role="owner")
    assert stop(person("sam"), other, "session") is False
    lease.check(held)


@pytest.mark.parametrize("who", ["vic", "gus"])
def test_who_may_not_stop_is_refused(room, who):
    held = at_work(room, "sam")
    with pytest.raises(Forbidden) as refused:
        halt(room, who)
    assert (refused.value.code, refused.value.capability) == ("no_capability", "stop")
    lease.check(held)


def test_who_is_outside_or_has_left_finds_nothing(room):
    at_work(room, "sam")
    with pytest.raises(Hidden):
        halt(room, "xan")
    leave(Membership.objects.get(session=room.session, person__handle__spelled="mo"))
    with pytest.raises(Hidden):
        halt(room, "mo")


def test_what_was_done_is_in_the_audit_log_and_what_was_not_is_not(room):
    halt(room, "sam")
    assert not AuditEntry.objects.filter(verb="stopped").exists()
    held = at_work(room, "sam")
    halt(room, "mo")
    [entry] = AuditEntry.objects.filter(verb="stopped")
    assert (entry.actor, entry.session, entry.detail["turns"]) == ("mo", room.session.id, [str(held.turn)])


def test_its_pieces_are_streamed_to_nobody_any_more(room):
    from messaging.transcript import stream

    held = at_work(room)
    say.piece(held, 1, "half an ans")
    assert stream.of_session(room.session.id)
    halt(room, "sam")
    assert stream.of_session(room.session.id) == []
    assert Utterance.objects.filter(kind="answer").count() == 0
    [turn] = read.turns(person("alex"), room.session)
    assert (turn.state, turn.window) == ("stopped", "closed")
