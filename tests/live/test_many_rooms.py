"""Rooms that fall behind together are read together; each gets its own and nobody else's."""

from __future__ import annotations

from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test.utils import CaptureQueriesContext

from collab.live import reading
from collab.live import room as rooms
from messaging.actions.draft import Draft
from messaging.actions.manage_members import remove_member
from messaging.actions.open_session import open_session
from messaging.actions.post import post_one
from messaging.roster.models import Person
from messaging.transcript import changes, fresh
from tests.cast import Room, frames, person
from tests.live.test_sockets import self_made

pytestmark = pytest.mark.django_db(transaction=True)


def another():
    alex = Person.objects.get(handle__spelled="alex")
    return open_session(alex, title="Another", slug=f"s-{uuid4().hex[:8]}")


async def test_each_room_gets_its_own(room):
    other = Room(await sync_to_async(another)())
    live, elsewhere = rooms.Room(room.session.id), rooms.Room(other.session.id)
    sam = await self_made(room, render=False)
    alex = await self_made(room, render=False)
    alex.person = (await sync_to_async(person)("alex")).id
    await live.join(sam)
    await elsewhere.join(alex)
    for n in range(3):
        await sync_to_async(room.say)("alex", f"here {n}")
        await sync_to_async(other.say)("alex", f"there {n}")
    await rooms.pump([live, elsewhere])
    assert [frame["message"]["text"] for frame in sam.got if frame["type"] == "message"][-3:] == [
        "here 0", "here 1", "here 2"]  # fmt: skip
    assert [frame["message"]["text"] for frame in alex.got if frame["type"] == "message"] == [
        "there 0", "there 1", "there 2"]  # fmt: skip


async def test_who_was_removed_from_one_stays_in_the_other(room):
    other = Room(await sync_to_async(another)())
    live, elsewhere = rooms.Room(room.session.id), rooms.Room(other.session.id)
    gone, stays = await self_made(room, render=False), await self_made(room, render=False)
    stays.person = (await sync_to_async(person)("alex")).id
    await live.join(gone)
    await elsewhere.join(stays)
    await sync_to_async(remove_member)(await sync_to_async(person)("alex"), room.session, "sam")
    await sync_to_async(room.say)("alex", "a word after sam went")
    await sync_to_async(other.say)("alex", "a word elsewhere")
    await rooms.pump([live, elsewhere])
    assert gone.ended == 4403
    assert "a word after" not in str(gone.got)
    assert stays.ended is False
    assert "a word elsewhere" in str(stays.got)


async def test_a_room_that_is_far_behind_is_brought_all_the_way(room, monkeypatch):
    monkeypatch.setattr(changes, "LIMIT", 3)
    live, sam = rooms.Room(room.session.id), await self_made(room, render=False)
    await live.join(sam)
    for n in range(10):
        await sync_to_async(room.say)("alex", str(n))
    await rooms.pump([live])
    assert [frame["message"]["text"] for frame in sam.got if frame["type"] == "message"][-10:] == [
        str(n) for n in range(10)]  # fmt: skip


@pytest.fixture
async def followed(room):
    """A room of plain sockets, up to date, whose own process's words are kept."""
    live, sam, mo = (
        rooms.Room(room.session.id),
        await self_made(room, render=False),
        await self_made(room, render=False),
    )
    mo.person = (await sync_to_async(person)("mo")).id
    fresh.follow(room.session.id)
    for socket in (sam, mo):
        await live.join(socket)
    await rooms.pump([live])
    yield live, sam, mo
    fresh.unfollow(room.session.id)


async def test_what_was_written_here_is_handed_on_without_reading(room, followed, django_assert_num_queries):
    live, sam, mo = followed
    said = await sync_to_async(room.say)("alex", "from memory")
    with django_assert_num_queries(0):
        assert live.hand_on(said.seq)
    for socket in (sam, mo):
        assert socket.got[-1]["message"]["text"] == "from memory"


async def test_nothing_is_handed_on_past_a_right_that_has_changed(room, followed):
    live, sam, mo = followed
    await sync_to_async(remove_member)(await sync_to_async(person)("alex"), room.session, "sam")
    live.seq = await sync_to_async(reading.seq_of)(room.session.id)
    said = await sync_to_async(room.say)("alex", "now that sam is gone")
    assert not live.hand_on(said.seq)
    await rooms.pump([live])
    assert "now that sam is gone" not in str(sam.got)
    assert "now that sam is gone" in str(mo.got)


async def test_a_direct_message_is_handed_on_to_its_people_alone(room, followed):
    live, sam, mo = followed
    said = await sync_to_async(room.say)("alex", "for mo alone", "participant:mo")
    assert live.hand_on(said.seq)
    assert "for mo alone" in str(mo.got)
    assert "for mo alone" not in str(sam.got)


async def test_nothing_is_handed_on_while_the_room_is_read(room, followed):
    live, *_ = followed
    said = await sync_to_async(room.say)("alex", "meanwhile")
    async with live.turn:
        assert not live.hand_on(said.seq)


def statements(after):
    with CaptureQueriesContext(connection) as captured:
        reading.batches({session: reading.Wanted(seq, None, ()) for session, seq in after.items()})
    return len(captured)


@pytest.mark.django_db
def test_the_number_of_queries_does_not_follow_the_number_of_rooms(transactional_db):
    room = Room.open()
    many = [another() for _ in range(12)]
    for session in (room.session, *many):
        post_one(Draft(person("alex"), session.id, "hello", "participants"))
    # Rights are asked room by room, and only where an epoch has moved; here nobody looks.
    one = statements({room.session.id: 0})
    assert statements({session.id: 0 for session in many}) <= one + 12


def test_more_than_one_reading_holds_is_read_on(transactional_db, monkeypatch):
    monkeypatch.setattr(changes, "LIMIT", 5)
    room, other = Room.open(), Room(another())
    for n in range(7):
        room.say("alex", f"here {n}")
        other.say("alex", f"there {n}")
    after, seen = {room.session.id: 0, other.session.id: 0}, {room.session.id: [], other.session.id: []}
    while True:
        found = changes.of_sessions(after)
        for session, (read, _) in found.items():
            seen[session] += read
            after[session] = read[-1].seq if read else after[session]
        if not any(more for _, more in found.values()):
            break
    for session, read in seen.items():
        assert read == _all(session)


def _all(session):
    found = []
    while page := frames(session, found[-1].seq if found else 0):
        found += page
    return found
