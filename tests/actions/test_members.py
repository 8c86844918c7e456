"""Who is in a session and as what: the right to say so, and what follows at once."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from messaging.actions.draft import Refusal
from messaging.actions.enrol import Taken, add_agent, add_person
from messaging.actions.manage_members import add_member, change_role, remove_member
from messaging.actions.take import take
from messaging.journal.models import Clock, Entry
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Seat
from messaging.roster import access
from messaging.roster.access import Forbidden, Hidden
from messaging.roster.models import Account
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


def test_a_new_member_finds_the_session_and_a_removed_one_does_not(room):
    add_member(person("alex"), room.session, "xan", "member")
    assert access.session(person("xan"), "welcome").id == room.session.id
    remove_member(person("alex"), room.session, "xan")
    with pytest.raises(Hidden):
        access.session(person("xan"), "welcome")


@pytest.mark.parametrize("who", ["sam", "vic", "gus"])
def test_who_may_not_manage_members_changes_nothing(room, who):
    for deed in (
        lambda: add_member(person(who), room.session, "xan", "member"),
        lambda: change_role(person(who), room.session, "mo", "guest"),
        lambda: remove_member(person(who), room.session, "mo"),
    ):
        with pytest.raises(Forbidden):
            deed()


def test_anybody_may_leave(room):
    remove_member(person("gus"), room.session, "gus")
    with pytest.raises(Hidden):
        access.session(person("gus"), "welcome")


def test_a_moderator_makes_members_but_no_owners(room):
    add_member(person("mo"), room.session, "xan", "member")
    for deed in (
        lambda: change_role(person("mo"), room.session, "xan", "owner"),
        lambda: change_role(person("mo"), room.session, "alex", "member"),
        lambda: remove_member(person("mo"), room.session, "alex"),
    ):
        with pytest.raises(Forbidden):
            deed()


def test_the_last_owner_stays(room):
    for deed in (
        lambda: change_role(person("alex"), room.session, "alex", "member"),
        lambda: remove_member(person("alex"), room.session, "alex"),
    ):
        with pytest.raises(Refusal) as caught:
            deed()
        assert caught.value.code == "last_owner"
    change_role(person("alex"), room.session, "sam", "owner")
    remove_member(person("alex"), room.session, "alex")


def test_each_change_is_journaled_and_moves_the_epoch(room):
    before = Clock.objects.get(session=room.session.id)
    add_member(person("alex"), room.session, "xan", "member")
    change_role(person("alex"), room.session, "xan", "viewer")
    remove_member(person("alex"), room.session, "xan")
    after = Clock.objects.get(session=room.session.id)
    assert (after.epoch - before.epoch, after.seq - before.seq) == (3, 3)
    assert Entry.objects.filter(session=room.session.id, kind="member", seq__gt=before.seq).count() == 3


def test_the_same_again_changes_nothing(room):
    before = Clock.objects.get(session=room.session.id)
    add_member(person("alex"), room.session, "sam", "member")
    assert Clock.objects.get(session=room.session.id).seq == before.seq


def test_an_agent_comes_back_to_its_own_seat(room):
    seat = room.seat("scout")
    remove_member(person("alex"), room.session, "scout")
    seat.refresh_from_db()
    assert not seat.open
    add_member(person("alex"), room.session, "scout", "member")
    seat.refresh_from_db()
    assert seat.open
    assert Seat.objects.filter(session=room.session.id, handle="scout").count() == 1


@pytest.mark.parametrize(("handle", "field"), [("nobody", "handle"), ("", "handle")])
def test_a_handle_of_nobody_is_named_as_the_fault(room, handle, field):
    with pytest.raises(Refusal) as caught:
        add_member(person("alex"), room.session, handle, "member")
    assert (caught.value.status, caught.value.field) == (422, field)


def test_people_and_agents_share_one_namespace():
    add_person("Rosa-Lee")
    with pytest.raises(Taken):
        add_agent("rosa_lee", kind="connected")


@pytest.mark.parametrize(
    ("role", "said", "state"),
    [("viewer", "active_agent", "rejected"), ("viewer", "everyone", "rejected"), ("viewer", "agent:scout", "rejected"),
     ("moderator", "active_agent", "queued"), ("moderator", "agent:scout", "queued")],
)  # fmt: skip
def test_a_demotion_rejects_what_its_author_may_not_say_any_more_and_nothing_else(room, role, said, state):
    own = room.say("sam", "mine", said, dispatch="future_turn" if said.startswith("agent:") else "")
    other = room.say("mo", "another's", "agent:scout", dispatch="future_turn")
    change_role(person("alex"), room.session, "sam", role)
    rows = Delivery.objects.filter(message=own.id)
    assert {(row.state, row.reason) for row in rows} == {(state, "no_capability" if state == "rejected" else "")}
    assert room.delivery(other, "scout").state == "queued"


def test_a_demoted_authors_cleared_question_is_not_claimed_either(room):
    room.say("sam", "mine", "active_agent")
    change_role(person("alex"), room.session, "sam", "viewer")
    assert claim(room.seat("mirror").id) is None


class TestTaking:
    def test_what_is_shown_is_delivered_by_the_seats_own_numbers(self, room):
        first = room.say("alex", "one", "agent:scout", dispatch="future_turn")
        room.say("alex", "between us")
        second = room.say("alex", "two", "everyone")
        take(agent("scout"), room.session, 50)
        numbers = [(room.delivery(one, "scout").state, room.delivery(one, "scout").number) for one in (first, second)]
        assert numbers == [("delivered", 1), ("delivered", 2)]

    def test_until_it_is_taken_it_waits(self, room):
        """F18: an agent that is away leaves its mail queued."""
        message = room.say("alex", "one", "agent:scout", dispatch="future_turn")
        assert room.delivery(message, "scout").state == "queued"
        assert room.delivery(message, "scout").delivered_at is None

    def test_its_reply_answers_what_it_was_shown_once(self, room):
        message = room.say("alex", "please", "agent:scout", dispatch="future_turn")
        take(agent("scout"), room.session, 50)
        reply = room.say(agent("scout"), "done", None, reply_to=message_id(message))
        again = room.say(agent("scout"), "done again", None, reply_to=message_id(message))
        assert (reply.audience, reply.answers) == ("everyone", message.id)
        assert (again.answers, again.reply_to) == (None, message.id)
        assert room.delivery(message, "scout").state == "responded"
        assert room.delivery(message, "scout").step == 4

    def test_who_has_no_seat_takes_nothing(self, room):
        remove_member(person("alex"), room.session, "scout")
        with pytest.raises(Hidden):
            take(agent("scout"), room.session, 50)


def message_id(message):
    from uuid import UUID

    return UUID(message.id)


@pytest.mark.parametrize(
    ("kind", "provider"), [("hosted", "nonsense"), ("hosted", ""), ("connected", "mirror"), ("hosted", "Mirror")]
)
def test_an_agent_without_a_fitting_provider_is_refused_and_keeps_no_handle(kind, provider):
    with pytest.raises(ValidationError, match="provider"):
        add_agent("bot", kind=kind, provider=provider)
    assert add_agent("bot", kind="hosted", provider="mirror").handle.spelled == "bot"


def test_a_person_does_not_take_over_an_account_and_the_handle_stays_free():
    account = Account.objects.create(username="ann")
    with pytest.raises(Taken, match="account"):
        add_person("ann")
    account.delete()
    assert add_person("ann").handle.spelled == "ann"
