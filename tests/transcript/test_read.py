"""Who sees what: each test has its twin for the one who must not."""

from __future__ import annotations

import pytest

from messaging.actions.collect import collect
from messaging.actions.open_session import open_session
from messaging.actions.take import take
from messaging.mailbox.models import Delivery
from messaging.mailbox.say import answer
from messaging.roster.access import Hidden
from messaging.roster.models import Person
from messaging.transcript import changes, read
from messaging.transcript.history import history
from tests.actions.deeds import begun
from tests.cast import Room, agent, frames, person

pytestmark = pytest.mark.django_db
INSIDE = ("alex", "mo", "sam", "vic", "gus")


@pytest.fixture
def room():
    return Room.open()


def texts(who, room, **how):
    return [view.text for view in read.page(person(who), room.session, **how).items]


@pytest.mark.parametrize("who", INSIDE)
@pytest.mark.parametrize("said", ["participants", "active_agent", "everyone"])
def test_all_people_of_the_session_see_what_is_for_the_room(room, who, said):
    message = room.say("alex", "for the room", said)
    assert texts(who, room) == ["for the room"]
    assert read.message(person(who), message.id).text == "for the room"


def test_who_is_outside_sees_nothing_of_it(room):
    message = room.say("alex", "for the room")
    for look in (
        lambda: read.page(person("xan"), room.session),
        lambda: read.message(person("xan"), message.id),
        lambda: history(person("xan"), message.id),
        lambda: read.turns(person("xan"), room.session),
        lambda: read.running(person("xan"), room.session),
        lambda: read.mailbox(person("xan"), room.session, "mirror"),
        lambda: changes.to(person("xan"), room.session, 0),
    ):
        with pytest.raises(Hidden):
            look()


@pytest.mark.parametrize(
    ("who", "sees"), [("alex", True), ("sam", True), ("mo", False), ("vic", False), ("gus", False)]
)
def test_a_direct_message_is_for_its_author_and_targets_alone(room, who, sees):
    message = room.say("alex", "psst", "participant:sam")
    assert (texts(who, room) == ["psst"]) is sees
    framed = [frame.body.text for frame in changes.to(person(who), room.session, 0).frames if frame.kind == "message"]
    assert (framed == ["psst"]) is sees
    if sees:
        assert read.message(person(who), message.id).id == message.id
    else:
        with pytest.raises(Hidden):
            read.message(person(who), message.id)


@pytest.mark.parametrize(
    ("only", "wanted"),
    [("all", ["people", "agent", "all", "direct"]), ("human", ["people", "direct"]), ("agent", ["agent", "all"])],
)
def test_filters(room, only, wanted):
    room.say("alex", "people")
    room.say("alex", "agent", "active_agent")
    room.say("alex", "all", "everyone")
    room.say("alex", "direct", "participant:sam")
    assert texts("sam", room, only=only) == wanted


def test_pages_neither_skip_nor_repeat(room):
    """F14: two posts in one moment have one order for all."""
    for n in range(7):
        room.say("alex", str(n))
    forward, after = [], 0
    while True:
        page = read.page(person("sam"), room.session, after=after, limit=3)
        forward += [view.text for view in page.items]
        if page.next is None:
            break
        after = page.next
    backward, before = [], None
    while True:
        page = read.page(person("sam"), room.session, before=before, limit=3)
        backward = [view.text for view in page.items] + backward
        if page.next is None:
            break
        before = page.next
    assert forward == backward == [str(n) for n in range(7)]


def test_events_bring_a_reader_to_what_a_fresh_fetch_shows(room):
    """Promise 19, for every role."""
    room.say("alex", "people")
    room.say("sam", "agent", "active_agent")
    room.say("alex", "psst", "participant:mo")
    for who in INSIDE:
        state = {}
        for frame in changes.to(person(who), room.session, 0).frames:
            if frame.kind == "message":
                state[frame.body.id] = frame.body
        assert list(state.values()) == read.page(person(who), room.session).items


def test_the_number_of_queries_does_not_follow_the_number_of_messages(room, django_assert_num_queries):
    viewer = person("sam")

    def reads():
        read.page(viewer, room.session)
        frames(room.session.id)

    def count():
        with django_assert_num_queries(11):
            reads()

    room.say("alex", "to all", "everyone")
    room.say("alex", "psst", "participant:sam")
    count()
    for _ in range(10):
        room.say("alex", "to all", "everyone")
        room.say("alex", "psst", "participant:sam")
    count()


class TestSeeingAsAnAgent:
    def test_it_shows_the_mailbox_and_nothing_of_what_people_say(self, room):
        room.say("alex", "between us")
        room.say("alex", "psst", "participant:sam")
        room.say("alex", "a question", "active_agent")
        rows = read.mailbox(person("vic"), room.session, "mirror").rows
        assert [(row.text, row.direction, row.number) for row in rows] == [("a question", "heard", None)]

    def test_what_was_withheld_is_a_tombstone_without_text(self, room):
        message = room.say("alex", "taken back", "active_agent")
        Delivery.objects.filter(message=message.id).update(withheld_at=message.created_at)
        [row] = read.mailbox(person("sam"), room.session, "mirror").rows
        assert (row.withheld, row.text) == (True, "")

    @pytest.mark.parametrize(("who", "sees"), [("sam", True), ("mo", False), ("alex", False)])
    def test_an_agents_direct_message_keeps_its_words_from_others(self, room, who, sees):
        room.say(agent("scout"), "for sam alone", "participant:sam")
        [row] = read.mailbox(person(who), room.session, "scout").rows
        assert (row.text, row.private, row.number) == ("for sam alone" if sees else "", not sees, 1)

    @pytest.mark.parametrize("handle", ["nobody", "sam"])
    def test_there_is_no_mailbox_of_somebody_without_a_seat(self, room, handle):
        with pytest.raises(Hidden):
            read.mailbox(person("alex"), room.session, handle)

    def test_a_long_mailbox_comes_in_stretches_that_neither_skip_nor_repeat(self, room, monkeypatch):
        monkeypatch.setattr(read, "MOST_MAIL", 3)
        for n in range(8):
            room.say("alex" if n % 2 else agent("scout"), str(n), "everyone")
        take(agent("scout"), room.session, 50)
        room.say("alex", "waits", "everyone")
        first = read.mailbox(person("sam"), room.session, "scout")
        assert first.rows[-1].text == "waits"
        pages, before = [first.rows[:-1]], first.earlier
        while before is not None:
            page = read.mailbox(person("sam"), room.session, "scout", before)
            pages.insert(0, page.rows)
            before = page.earlier
        assert [row.number for rows in pages for row in rows] == list(range(1, 9))
        assert max(map(len, pages)) == 3

    def test_a_connected_agents_own_words_stand_among_the_rest(self, room):
        room.say(agent("scout"), "I am here", "participants")
        [row] = read.mailbox(person("alex"), room.session, "scout").rows
        assert (row.direction, row.text, row.number) == ("said", "I am here", 1)


def test_a_turn_is_at_work_until_its_answer_is_there(room, django_assert_num_queries):
    room.say("alex", "a question", "active_agent")
    held, vic = begun(room), person("vic")
    other = open_session(Person.objects.get(handle__spelled="alex"), title="Other")
    for collected in (False, True):
        with django_assert_num_queries(2):
            assert read.running(vic, room.session) == {str(held.turn): "mirror"}
        assert read.running(person("alex"), other) == {}
        if not collected:
            answer(held, "an answer")
    collect(room.session.id)
    assert read.running(person("vic"), room.session) == {}
