"""One thread writes for all: each is answered, none spoils the others, and nobody's leaving takes anything back."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from asgiref.sync import sync_to_async
from django.db import IntegrityError, OperationalError

from collab.processes import writer
from messaging.actions import post as actions
from messaging.actions.draft import Draft, Posted, Refusal
from messaging.roster.models import Account
from messaging.transcript.models import Message
from tests.cast import Room, person

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 10


@pytest.fixture
def room():
    return Room.open()


@pytest.fixture
def batches(monkeypatch):
    """The sizes of the batches that were posted; the first waits until `gate` is open."""
    sizes: list[int] = []
    real, gate, begun = actions.post, threading.Event(), threading.Event()

    def post(drafts):
        sizes.append(len(drafts))
        begun.set()
        gate.wait(PATIENCE)
        return real(drafts)

    monkeypatch.setattr(actions, "post", post)
    yield sizes, gate, begun
    gate.set()


@pytest.fixture
def writing(room):
    one = writer.Writer()
    one.start()
    yield one
    one.stop(PATIENCE)


def draft(room, text="hello", who="alex", **more):
    return Draft(person(who), room.session.id, text, "participants", **more)


def take(writing, drafts):
    answers = [Future() for _ in drafts]
    for one, answer in zip(drafts, answers, strict=True):
        writing.take(one, answer)
    return answers


def test_what_comes_while_a_batch_is_written_is_the_next_batch(room, writing, batches):
    sizes, gate, begun = batches
    drafts = [draft(room, f"text {n}") for n in range(40)]
    (first,) = take(writing, drafts[:1])
    assert begun.wait(PATIENCE)
    others = take(writing, drafts[1:])
    gate.set()
    outcomes = [answer.result(PATIENCE) for answer in (first, *others)]
    assert sizes == [1, 39]
    assert [one.message.text for one in outcomes] == [one.text for one in drafts]
    assert [one.message.seq for one in outcomes] == list(range(outcomes[0].message.seq, outcomes[0].message.seq + 40))


def test_a_batch_is_bounded_and_order_is_kept(room, writing, batches, monkeypatch):
    sizes, gate, begun = batches
    monkeypatch.setattr(writer, "MOST", 10)
    drafts = [draft(room, f"text {n}") for n in range(31)]
    answers = take(writing, drafts[:1])
    assert begun.wait(PATIENCE)
    answers += take(writing, drafts[1:])
    gate.set()
    seqs = [answer.result(PATIENCE).message.seq for answer in answers]
    assert sizes == [1, 10, 10, 10]
    assert seqs == sorted(seqs)


def test_a_refused_draft_fails_alone(room, writing):
    good, bad, other = take(writing, [draft(room), draft(room, who="xan"), draft(room, "  ")])
    assert isinstance(good.result(PATIENCE), Posted)
    assert bad.result(PATIENCE).status == 404
    assert other.result(PATIENCE).status == 422


def test_what_the_database_refuses_of_a_batch_is_posted_one_by_one(room, writing, batches, monkeypatch):
    _, gate, begun = batches
    real = actions._write

    def refusing(ones, purse, told):
        if any(one.draft.text == "poison" for one in ones):
            raise IntegrityError("as if a row were refused")
        return real(ones, purse, told)

    monkeypatch.setattr(actions, "_write", refusing)
    first = take(writing, [draft(room)])
    assert begun.wait(PATIENCE)
    answers = first + take(writing, [draft(room, "one"), draft(room, "poison"), draft(room, "two")])
    gate.set()
    assert [answers[n].result(PATIENCE).message.text for n in (0, 1, 3)] == ["hello", "one", "two"]
    with pytest.raises(IntegrityError):
        answers[2].result(PATIENCE)
    assert set(Message.objects.values_list("text", flat=True)) == {"hello", "one", "two"}


def test_a_lost_connection_is_not_tried_again_for_it_may_have_been_committed(room, writing, monkeypatch):
    calls = []

    def lost(drafts):
        calls.append(len(drafts))
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(actions, "post", lost)
    (answer,) = take(writing, [draft(room)])
    with pytest.raises(OperationalError):
        answer.result(PATIENCE)
    assert calls == [1]
    monkeypatch.undo()
    (after,) = take(writing, [draft(room, "after")])
    assert after.result(PATIENCE).message.text == "after"


async def test_a_client_that_goes_away_cancels_nothing(transactional_db):
    room = await sync_to_async(Room.open)()
    one = writer.Writer()
    one.start()
    writer.install(one)
    try:
        gone = asyncio.ensure_future(writer.post(await sync_to_async(draft)(room, "from one who left")))
        await asyncio.sleep(0)
        gone.cancel()
        stays = await writer.post(await sync_to_async(draft)(room, "from one who stayed"))
    finally:
        writer.install(None)
        await asyncio.to_thread(one.stop, PATIENCE)
    assert stays.created
    assert gone.cancelled()
    assert await Message.objects.acount() == 2


def test_stopping_writes_what_waits(room, batches):
    _, gate, _ = batches
    one = writer.Writer()
    one.start()
    answers = take(one, [draft(room, f"text {n}") for n in range(5)])
    stopping = threading.Thread(target=one.stop, args=(PATIENCE,))
    stopping.start()
    gate.set()
    stopping.join(PATIENCE)
    assert all(isinstance(answer.result(0), Posted) for answer in answers)


def test_threads_wait_for_their_own_answer(room, writing):
    writer.install(writing)
    try:
        with ThreadPoolExecutor(8) as pool:
            drafts = [draft(room, f"text {n}", client_key=f"k{n % 20}") for n in range(20)] * 2
            posted = list(pool.map(writer.post_one, drafts))
        with pytest.raises(Refusal):
            writer.post_one(draft(room, who="xan"))
    finally:
        writer.install(None)
    assert [one.message.text for one in posted] == [one.text for one in drafts]
    assert sum(one.created for one in posted) == 20
    assert Message.objects.count() == 20


def test_an_error_within_does_not_end_the_writer(room, writing, monkeypatch):
    monkeypatch.setattr(writer, "_settle", lambda answers, results: 1 / 0)
    take(writing, [draft(room, "unanswered")])
    while Message.objects.count() < 1:
        threading.Event().wait(0.01)
    monkeypatch.undo()
    (answer,) = take(writing, [draft(room, "after")])
    assert answer.result(PATIENCE).message.text == "after"
    assert writing.alive()


def test_too_many_that_wait_are_told_so(room, writing, batches, monkeypatch):
    _, gate, begun = batches
    monkeypatch.setattr(writer, "MOST_WAITING", 2)
    taken = take(writing, [draft(room, "first")])
    assert begun.wait(PATIENCE)
    taken += take(writing, [draft(room, f"waits {n}") for n in range(2)])
    with pytest.raises(Refusal) as refused:
        writing.take(draft(room, "too many"), Future())
    assert (refused.value.status, refused.value.retry_after) == (503, 1)
    gate.set()
    assert [answer.result(PATIENCE).message.text for answer in taken] == ["first", "waits 0", "waits 1"]


@pytest.mark.parametrize("where", ["messaging.transcript.fresh.keep", "messaging.journal.poke._transport"])
def test_what_follows_a_commit_makes_nobody_post_twice(room, writing, monkeypatch, where):
    monkeypatch.setattr(where, lambda *_: 1 / 0)
    answers = take(writing, [draft(room, "one"), draft(room, "two")])
    assert [answer.result(PATIENCE).message.text for answer in answers] == ["one", "two"]
    assert Message.objects.count() == 2


def test_showing_that_fails_leaves_nothing_behind(room, writing, monkeypatch):
    """What is shown of a message is made before it is sent: what fails there must not be told as lost and yet be kept."""
    real = actions.show.view

    def view(written):
        if written.one.draft.text == "poison":
            raise ZeroDivisionError
        return real(written)

    monkeypatch.setattr(actions.show, "view", view)
    good, bad = take(writing, [draft(room, "good"), draft(room, "poison")])
    assert good.result(PATIENCE).message.text == "good"
    with pytest.raises(ZeroDivisionError):
        bad.result(PATIENCE)
    assert list(Message.objects.values_list("text", flat=True)) == ["good"]


def test_a_post_that_cannot_be_counted_is_posted_once(room, writing, monkeypatch):
    monkeypatch.setattr(actions, "_count_one", lambda outcome: 1 / 0)
    answers = take(writing, [draft(room, "one"), draft(room, "two")])
    assert [answer.result(PATIENCE).message.text for answer in answers] == ["one", "two"]
    assert Message.objects.count() == 2


def test_a_batch_that_is_stuck_is_seen(room, writing, batches, monkeypatch):
    _, gate, begun = batches
    assert writing.alive()
    (answer,) = take(writing, [draft(room)])
    assert begun.wait(PATIENCE)
    assert writing.alive()
    monkeypatch.setattr(writer, "STUCK", 0.0)
    assert not writing.alive()
    gate.set()
    answer.result(PATIENCE)
    take(writing, [draft(room)])[0].result(PATIENCE)
    monkeypatch.undo()
    assert writing.alive()


def test_an_account_that_was_disabled_while_its_draft_waited_posts_nothing(room, writing, batches):
    """Without a token, as a page posts: who calls was seen before the draft had to wait."""
    _, gate, begun = batches
    take(writing, [draft(room, "first")])
    assert begun.wait(PATIENCE)
    sam, mo = take(writing, [draft(room, "by sam", "sam"), draft(room, "by mo", "mo")])
    Account.objects.filter(username="sam").update(is_active=False)
    gate.set()
    assert sam.result(PATIENCE).status == 401
    assert mo.result(PATIENCE).message.text == "by mo"
