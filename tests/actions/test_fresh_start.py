"""Starting afresh: the agent looks back no further, people still see it all, and nobody's work is cut off unasked."""

from __future__ import annotations

import pytest

from messaging.actions.collect import collect
from messaging.actions.draft import Refusal
from messaging.actions.fresh_start import fresh_start
from messaging.actions.leave import leave
from messaging.agents import context
from messaging.mailbox import say, shown
from messaging.mailbox.claim import claim
from messaging.mailbox.lease import Claim
from messaging.mailbox.models import Delivery, Turn
from messaging.roster.access import Forbidden, Hidden
from messaging.roster.models import Membership, Person, Session
from messaging.transcript import read
from messaging.transcript.models import AuditEntry, Message
from tests.cast import Room, agent, frames, person

pytestmark = pytest.mark.django_db
CANARY = "CANARY-5b1e"


@pytest.fixture
def room() -> Room:
    return Room.open()


def begin(room: Room, who: str = "sam", text: str = "a question") -> Claim:
    room.say(who, text, "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    return held


def afresh(room: Room, who: str) -> bool:
    return fresh_start(person(who), room.session)


def request_of(room: Room, held: Claim) -> list[str]:
    """What a provider would be given now."""
    seat = room.seat("mirror")
    running = context.Running(held.turn, Delivery.objects.get(id=held.input).message, held.n)
    return [
        line.text
        for line in context.build(seat, shown.newest(seat, 10**6).heard, shown.newest(seat, 10**6).said, running).lines
    ]


def test_nothing_said_before_is_in_a_later_request_and_people_still_see_it(room):
    room.say("mo", f"{CANARY} context", "everyone")
    say.answer(begin(room, "sam", f"{CANARY} question"), f"{CANARY} answer")
    collect(room.session.id)
    assert len(request_of(room, begin(room, "sam", "control"))) == 4, "the control: it would have been there"
    assert afresh(room, "sam") is True
    assert request_of(room, begin(room, "sam", "and now?")) == ["and now?"]
    texts = [one.text for one in read.page(person("vic"), room.session).items]
    assert len([text for text in texts if CANARY in text]) == 3


def test_what_waited_to_go_along_is_not_told_and_what_follows_is(room):
    begin(room)
    before = room.say("mo", f"{CANARY} context", "everyone")
    afresh(room, "alex")
    row = room.delivery(before, "mirror")
    assert (row.state, row.reason) == ("superseded", "fresh_start")
    room.say("mo", "context of now", "everyone")
    assert request_of(room, begin(room, "sam", "and now?")) == ["context of now", "and now?"]
    assert room.delivery(before, "scout").state == "queued", "connected agents are not started afresh"


def test_the_room_is_told_by_the_server_and_no_agent_is(room):
    deliveries = Delivery.objects.count()
    assert afresh(room, "sam") is False
    [said] = [one for one in read.page(person("vic"), room.session).items if one.author.kind == "system"]
    assert said.text.startswith("Sam started Mirror afresh.")
    assert (said.audience, said.author.id, said.deliveries) == ("system", "earshot", [])
    assert Delivery.objects.count() == deliveries
    told = [frame.body for frame in frames(room.session.id) if frame.kind == "message"]
    assert [one.id for one in told] == [said.id]


def test_a_name_cannot_pose_as_more_than_one_line(room):
    Person.objects.filter(handle__spelled="sam").update(name="Sam\n{agents}\n# Big")
    afresh(room, "sam")
    text = Message.objects.get(author_kind="system").text
    assert text.startswith("Sam {agents} # Big started Mirror afresh.")
    assert "\n" not in text


def test_it_stops_first_and_takes_back_the_callers_own(room):
    held = begin(room, "sam")
    mine, others = room.say("sam", "more", "active_agent"), room.say("mo", "mine", "active_agent")
    assert afresh(room, "sam") is True
    assert Turn.objects.get(id=held.turn).state == "stopped"
    assert room.delivery(mine, "mirror").reason == "stopped"
    assert room.delivery(others, "mirror").cleared_at is not None
    following = claim(room.seat("mirror").id)
    assert following is not None
    assert request_of(room, following) == ["mine"]


def test_a_member_does_not_cut_off_what_runs_for_another(room):
    held = begin(room, "mo")
    with pytest.raises(Refusal) as refused:
        afresh(room, "sam")
    assert (refused.value.status, refused.value.code) == (409, "busy")
    assert Turn.objects.get(id=held.turn).state == "running"
    assert room.seat("mirror").fresh_from == 0
    assert not Message.objects.filter(author_kind="system").exists()


@pytest.mark.parametrize("who", ["alex", "mo"])
def test_owner_and_moderator_do(room, who):
    held = begin(room, "sam")
    assert afresh(room, who) is True
    assert Turn.objects.get(id=held.turn).state == "stopped"


@pytest.mark.parametrize(
    ("roles", "lacking"),
    [(["post_human", "post_agent"], "stop"), (["post_human", "stop"], "post_agent")],
)
def test_it_takes_both_rights(room, roles, lacking):
    Session.objects.filter(id=room.session.id).update(roles={"member": roles})
    with pytest.raises(Forbidden) as refused:
        afresh(room, "sam")
    assert refused.value.capability == lacking


def test_who_is_outside_finds_nothing(room):
    with pytest.raises(Hidden):
        afresh(room, "xan")


def test_without_a_hosted_agent_there_is_nobody_to_start(room):
    leave(Membership.objects.get(session=room.session, agent__handle__spelled="mirror"))
    with pytest.raises(Refusal) as refused:
        afresh(room, "alex")
    assert refused.value.code == "no_agent"


def test_it_is_in_the_audit_log(room):
    afresh(room, "sam")
    [entry] = AuditEntry.objects.filter(verb="fresh_start")
    assert (entry.actor, entry.session, entry.detail) == ("sam", room.session.id, {"agents": ["mirror"]})


def test_an_earlier_parent_is_not_named_to_it(room):
    old = room.say("sam", CANARY, "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    say.answer(held, "an answer")
    collect(room.session.id)
    afresh(room, "sam")
    from uuid import UUID

    room.say("sam", "and now?", "active_agent", reply_to=UUID(old.id))
    again = claim(room.seat("mirror").id)
    assert again is not None
    seat = room.seat("mirror")
    [row] = shown.newest(seat, 10**6).heard
    assert row.text == "and now?"
    assert agent("mirror").id == seat.agent
