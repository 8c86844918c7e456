"""Deeds on a message against claims and against each other: one story, and whoever was slower is told."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from messaging.actions import subject
from messaging.actions.collect import collect
from messaging.actions.delete import delete
from messaging.actions.draft import Refusal
from messaging.actions.edit import edit
from messaging.actions.reclassify import reclassify
from messaging.actions.resend import resend
from messaging.actions.supersede import supersede
from messaging.journal.models import Entry
from messaging.mailbox.claim import claim
from messaging.mailbox.lease import LeaseLost
from messaging.mailbox.models import Delivery, Seat, Transition, Turn, Utterance
from messaging.mailbox.say import answer
from messaging.roster import credentials
from messaging.roster.models import Token
from messaging.transcript.models import Message, Reclassification, Revision
from tests.actions.deeds import begun, fates, made, put_out, refused
from tests.cast import Room, person, token

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = range(6)


@pytest.fixture
def room():
    return Room.open()


def together(*deeds: Callable[[], Any]) -> list[Any]:
    """Starts all at once and answers with what each gave, or with the refusal's code."""
    gate = Barrier(len(deeds))

    def run(deed: Callable[[], Any]) -> Any:
        gate.wait()
        try:
            return deed()
        except Refusal as refusal:
            return refusal.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(run, deeds))


def ordered(n: int, *deeds: Callable[[], Any]) -> list[Any]:
    """The same, started in turn in either order; the answers in the order of `deeds`."""
    results = together(*(deeds if n % 2 else deeds[::-1]))
    return results if n % 2 else results[::-1]


def sound(room: Room) -> None:
    """Numbers without a gap, each step with its entry, each state its last step, places used once at a time."""
    seqs = list(Entry.objects.filter(session=room.session.id).order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))
    for row in Delivery.objects.all():
        steps = list(Transition.objects.filter(delivery=row).order_by("step"))
        assert (steps[-1].step, steps[-1].after) == (row.step, row.state)
    waiting = list(Delivery.objects.filter(state="queued").values_list("seat", "place"))
    assert len(waiting) == len(set(waiting))


@pytest.mark.parametrize("n", ROUNDS)
def test_an_edit_and_a_claim(room, n):
    message = room.say("alex", "old", "active_agent")
    seat = room.seat("mirror").id
    after, held = ordered(n, lambda: edit(person("alex"), message.id, "new"), lambda: claim(seat))
    sound(room)
    assert Message.objects.get(id=message.id).text == after.text == "new"
    if held is None:
        # The edit came in the midst of it: the claim found what it wanted withdrawn, and comes again.
        held = claim(seat)
    shown = Delivery.objects.get(id=held.input)
    assert Turn.objects.count() == 1
    if shown.text == "new":
        assert [one[1] for one in fates(message)] == ["superseded", "delivered"]
    else:
        assert (fates(message), after.deliveries[0].revision) == ([("mirror", "delivered", "", 1)], 1)


@pytest.mark.parametrize("n", ROUNDS)
def test_a_deletion_and_a_claim(room, n):
    message = room.say("alex", "old", "active_agent")
    seat = room.seat("mirror").id
    after, held = ordered(n, lambda: delete(person("alex"), message.id), lambda: claim(seat))
    sound(room)
    row = room.delivery(message, "mirror")
    if held is None:
        assert (row.state, row.withheld_at, after.ever_delivered) == ("superseded", None, False)
    else:
        assert (row.state, row.withheld_at is not None, after.ever_delivered) == ("delivered", True, True)


@pytest.mark.parametrize("n", ROUNDS)
def test_a_withdrawal_and_a_claim(room, n):
    message = room.say("alex", "old", "active_agent")
    seat = room.seat("mirror").id
    after, held = ordered(n, lambda: supersede(person("alex"), message.id), lambda: claim(seat))
    sound(room)
    assert (after == "too_late") == (held is not None)
    assert room.delivery(message, "mirror").state == ("superseded" if held is None else "delivered")
    assert Seat.objects.get(id=seat).shown == (0 if held is None else 1)


@pytest.mark.parametrize("n", ROUNDS)
def test_a_reclassification_and_a_claim(room, n):
    message = room.say("alex", "old", "active_agent")
    seat = room.seat("mirror").id
    after, held = ordered(
        n, lambda: reclassify(person("alex"), message.id, "participants", "for people"), lambda: claim(seat)
    )
    sound(room)
    row = room.delivery(message, "mirror")
    assert (after.audience, after.ever_delivered) == ("participants", held is not None)
    assert row.state == ("superseded" if held is None else "delivered")
    assert (row.withheld_at is not None) == (held is not None)


@pytest.mark.parametrize("n", ROUNDS)
def test_two_edits_of_what_both_had_before_their_eyes(room, n):
    message = room.say("alex", "old", "active_agent")
    results = ordered(n, *[lambda text=text: edit(person("alex"), message.id, text, 1) for text in ("one", "two")])
    sound(room)
    [kept] = [one.text for one in results if one != "conflict"]
    assert "conflict" in results
    assert Message.objects.get(id=message.id).text == kept
    assert list(Revision.objects.order_by("n").values_list("n", "text")) == [(1, "old"), (2, kept)]
    assert Delivery.objects.get(state="queued").text == kept


def test_many_edits_one_after_the_other(room):
    message = room.say("alex", "old", "active_agent")
    results = together(*[lambda n=n: edit(person("alex"), message.id, f"text {n}") for n in range(5)])
    sound(room)
    assert sorted(one.revision for one in results) == [2, 3, 4, 5, 6]
    last = Message.objects.get(id=message.id)
    assert Delivery.objects.get(state="queued").text == last.text == max(results, key=lambda one: one.revision).text
    assert room.seat("mirror").placed == 1


@pytest.mark.parametrize("n", ROUNDS)
def test_two_who_send_it_again(room, n):
    message = room.say("alex", "old", "active_agent")
    supersede(person("alex"), message.id)
    results = ordered(n, *[lambda: resend(person("alex"), message.id)] * 2)
    sound(room)
    assert "still_waiting" in results
    assert [one[1] for one in fates(message)] == ["superseded", "queued"]


@pytest.mark.parametrize("n", ROUNDS)
def test_two_who_change_its_audience(room, n):
    message = room.say("alex", "old")
    results = ordered(
        n,
        *[
            lambda who=who: reclassify(person(who), message.id, "active_agent", "r", confirm=True)
            for who in ("alex", "mo")
        ],
    )
    sound(room)
    assert "conflict" in results
    assert (Reclassification.objects.count(), Delivery.objects.count()) == (1, 1)


class TestWhatHappenedJustBefore:
    """Between the first look and the lock: what is done then is done to what is there, or refused."""

    @pytest.fixture
    def before(self, monkeypatch):
        """Has something happen once a deed has read its message, and has not locked yet."""
        real = subject.gather

        def run(deed):
            def first(drafts):
                monkeypatch.setattr(subject, "gather", real)
                deed()
                return real(drafts)

            monkeypatch.setattr(subject, "gather", first)

        return run

    def test_an_edit_is_told_that_it_was_deleted(self, room, before):
        message = room.say("alex", "old", "active_agent")
        before(lambda: delete(person("mo"), message.id, "no"))
        assert refused(lambda: edit(person("alex"), message.id, "new")) == (409, "deleted")

    def test_an_edit_leaves_alone_what_an_agent_took_up(self, room, before):
        message = room.say("alex", "old", "active_agent")
        before(lambda: begun(room))
        after = edit(person("alex"), message.id, "new")
        assert [(one.disposition, one.revision) for one in after.deliveries] == [("delivered", 1)]

    def test_a_withdrawal_is_told_that_it_was_taken_up(self, room, before):
        message = room.say("alex", "old", "active_agent")
        before(lambda: begun(room))
        assert refused(lambda: supersede(person("alex"), message.id)) == (409, "too_late")

    def test_a_deletion_withholds_what_was_taken_up(self, room, before):
        message = room.say("alex", "old", "active_agent")
        before(lambda: begun(room))
        assert [one.withheld for one in delete(person("alex"), message.id).deliveries] == [True]

    def test_a_deletion_takes_back_the_text_that_was_put_there_meanwhile(self, room, before):
        message = room.say("alex", "old", "active_agent")
        before(lambda: edit(person("alex"), message.id, "new"))
        assert [one.disposition for one in delete(person("alex"), message.id).deliveries] == ["superseded"] * 2

    def test_who_was_put_out_finds_nothing(self, room, before):
        message = room.say("sam", "mine", "active_agent")
        for deed in (
            lambda: edit(person("sam"), message.id, "new"),
            lambda: delete(person("sam"), message.id),
            lambda: supersede(person("sam"), message.id),
            lambda: reclassify(person("sam"), message.id, "participants", "r"),
            lambda: resend(person("sam"), message.id),
        ):
            before(lambda: put_out(room, "sam"))
            assert refused(deed) == (404, "not_found")
            made(room, "sam", "member")

    def test_who_was_demoted_lacks_the_right(self, room, before):
        message = room.say("alex", "hers", "active_agent")
        before(lambda: made(room, "mo", "member"))
        assert refused(lambda: delete(person("mo"), message.id, "no")) == (403, "no_capability")
        assert Message.objects.get(id=message.id).deleted_at is None

    def test_a_token_that_was_revoked_is_nobodys(self, room, before):
        message = room.say("sam", "mine")
        held = credentials.hashed(token("sam"))
        before(lambda: Token.objects.filter(hash=held).update(revoked_at=timezone.now()))
        assert refused(lambda: edit(person("sam"), message.id, "new", token=held)) == (401, "not_authenticated")

    def test_what_was_opened_to_all_meanwhile_is_as_it_is_now(self, room, before):
        message = room.say("sam", "psst", "participant:mo")
        before(lambda: reclassify(person("sam"), message.id, "participants", "no secret"))
        assert delete(person("mo"), message.id, "spam").deleted_at is not None


@pytest.mark.parametrize("n", ROUNDS)
def test_a_deletion_with_its_answers_and_an_answer_that_is_just_given(room, n):
    """Whoever is first: nothing of it stands, and nothing of it is in the agent's memory."""
    message = room.say("alex", "old", "active_agent")
    held = begun(room)

    def give() -> str:
        try:
            answer(held, "you said: old")
        except LeaseLost:
            return "too_late"
        collect(room.session.id)
        return "said"

    _, said = ordered(n, lambda: delete(person("alex"), message.id, answers="take_back"), give)
    collect(room.session.id)
    sound(room)
    assert not Message.objects.filter(author_kind="agent", deleted_at=None).exists()
    assert not Utterance.objects.filter(kind="answer", withheld_at=None).exists()
    assert Turn.objects.get(id=held.turn).state == ("stopped" if said == "too_late" else "finished")
