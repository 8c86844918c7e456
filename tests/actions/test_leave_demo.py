"""Leaving the demo takes its access away, keeps its rows, and leaves nothing without an owner."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from messaging.actions import leave_demo as leaving
from messaging.actions.demo import PEOPLE, SLUG
from messaging.actions.enrol import add_person
from messaging.actions.join import join
from messaging.actions.leave_demo import leave_demo, plan
from messaging.actions.open_session import open_session
from messaging.domain.capability import Role
from messaging.journal.models import Clock, Entry, Kind
from messaging.mailbox.models import Delivery
from messaging.roster import access, credentials
from messaging.roster.models import Account, Agent, Installation, Membership, Person, Session, SessionChange
from messaging.transcript.models import AuditEntry, Message
from tests.cast import Room, agent, person, token

pytestmark = pytest.mark.django_db
CAST = [handle for handle, *_ in PEOPLE]


@pytest.fixture
def room():
    return Room.open()


def test_without_a_demo_there_is_nothing_to_leave():
    assert plan() is None
    add_person("alex")
    assert plan() is None


def test_the_plan_says_what_is_done_and_a_second_time_there_is_none(room):
    token("alex")
    token("mirror")
    found = plan()
    assert (found.people, found.tokens, found.orphans) == (tuple(CAST), 2, ())
    leave_demo("kim")
    assert plan() is None


def test_nobody_of_the_cast_gets_in_any_more_and_the_owner_does(room):
    tokens = {handle: token(handle) for handle in (*CAST, "mirror", "scout")}
    assert all(credentials.caller(one) for one in tokens.values())
    epoch = Installation.epoch_now()
    owner = leave_demo("kim", name="Kim")
    assert not any(credentials.caller(one) for one in tokens.values())
    assert not Account.objects.filter(username__in=CAST, is_active=True).exists()
    assert not Account.objects.filter(username="alex", is_staff=True).exists()
    assert Installation.the().owner == owner
    assert Installation.epoch_now() > epoch
    assert credentials.caller(token("kim")).handle == "kim"


def test_the_session_is_closed_to_all_and_its_words_are_kept(room):
    said = room.say("sam", "kept")
    epoch = Clock.objects.get(session=room.session.id).epoch
    leave_demo("kim")
    with pytest.raises(access.Hidden):
        access.session(person("alex"), SLUG)
    assert Message.objects.get(id=said.id).text == "kept"
    assert Clock.objects.get(session=room.session.id).epoch > epoch


def test_it_is_on_record_and_in_the_journal_as_closing_each_by_itself_is(room):
    Account.objects.filter(username="gus").update(is_active=False)
    leave_demo("kim")
    closed = AuditEntry.objects.filter(detail__change="closed", actor="house")
    people = {(row.about, row.detail["handle"]) for row in closed.filter(verb="account")}
    assert people == {(person(handle).id, handle) for handle in CAST if handle != "gus"}
    change = SessionChange.objects.get(session=room.session)
    assert list(closed.filter(verb="session").values_list("session", "about")) == [(room.session.id, change.id)]
    assert Entry.objects.filter(session=room.session.id, kind=Kind.SESSION, ref=change.id).count() == 1


def test_what_waits_before_agents_is_rejected_cleared_or_not(room):
    cleared, behind = (room.say("sam", text, "active_agent") for text in ("first", "second"))
    mail = room.say(agent("mirror"), "for scout", "agent:scout", dispatch="future_turn")
    states = {str(row.message): (row.cleared_at is None, row.state) for row in Delivery.objects.all()}
    assert states[cleared.id] == (False, "queued")
    assert states[behind.id] == (True, "queued")
    leave_demo("kim")
    rows = Delivery.objects.filter(message__in=[cleared.id, behind.id, mail.id])
    assert {(row.state, row.reason) for row in rows} == {("rejected", "session_closed")}


def test_elsewhere_what_the_cast_asked_is_rejected_and_what_others_asked_is_not(room):
    kim = add_person("kim")
    other = open_session(kim, title="Ours", slug="ours", active_agent=Agent.objects.get(handle__spelled="mirror"))
    join(other, Person.objects.get(handle__spelled="sam"), Role.MEMBER)
    ours = Room(other)
    theirs, own = ours.say("sam", "theirs", "active_agent"), ours.say("kim", "own", "active_agent")
    leave_demo("kim")
    assert (ours.delivery(theirs, "mirror").state, ours.delivery(own, "mirror").state) == ("rejected", "queued")
    assert Session.objects.get(slug="ours").closed_at is None


def test_sessions_that_the_cast_alone_owns_get_the_new_owner(room):
    alex = Person.objects.get(handle__spelled="alex")
    open_session(alex, title="Theirs", slug="theirs")
    shared = open_session(alex, title="Shared", slug="shared")
    join(shared, add_person("kim"), Role.OWNER)
    assert plan().orphans == ("theirs",)
    before = Clock.objects.get(session=shared.id).seq
    owner = leave_demo("kim")
    mine = Membership.objects.filter(person=owner, left_at=None).order_by("session__slug")
    assert list(mine.values_list("session__slug", "role")) == [("shared", "owner"), ("theirs", "owner")]
    assert Clock.objects.get(session=shared.id).seq == before


def test_agents_of_the_demo_stay_and_change_hands(room):
    owner = leave_demo("kim")
    assert set(Agent.objects.values_list("handle__spelled", "owner", "enabled")) == {
        ("mirror", owner.id, True),
        ("scout", owner.id, True),
    }


@pytest.mark.parametrize("handle", ["alex", "sam"])
def test_nobody_of_the_cast_becomes_the_owner(room, handle):
    with pytest.raises(ValidationError):
        leave_demo(handle)
    assert plan() is not None
    assert credentials.caller(token("sam")) is not None


def test_a_refused_owner_changes_nothing(room):
    with pytest.raises(ValidationError):
        leave_demo("Bad handle!")
    assert Account.objects.filter(is_active=True).count() == len(leaving.CAST)
    assert Session.objects.get(slug=SLUG).closed_at is None


def test_the_owner_is_left_in_a_room_with_the_agent(room):
    leave_demo("kim")
    (home,) = access.sessions(person("kim"))
    assert (home.title, home.slug, home.active_agent.handle.spelled) == ("Home", "home", "mirror")
    assert Room(home).say("kim", "a question", "active_agent").deliveries


def test_whoever_is_in_a_room_already_gets_no_other(room):
    kim = add_person("kim")
    mine = open_session(kim, title="Mine", slug="mine")
    leave_demo("kim")
    assert access.sessions(person("kim")) == [mine]
