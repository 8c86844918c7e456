"""Posting: who hears it, in what order it is checked, and that a repeat is recognised whatever happened since."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest
from django.utils import timezone

from messaging.actions.draft import Draft, Posted, Refusal
from messaging.actions.join import join
from messaging.actions.leave import leave
from messaging.actions.post import post
from messaging.domain.capability import Role
from messaging.journal.models import Entry
from messaging.mailbox.models import Delivery, Seat
from messaging.roster.models import Membership, Person, Session, Spend
from messaging.transcript.models import Message
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


@pytest.mark.parametrize("said", ["participants", "participant:sam", ["participant:sam", "participant:mo"]])
def test_what_is_for_people_makes_no_delivery(room, said):
    message = room.say("alex", "between us", said)
    assert message.deliveries == []
    assert not message.ever_delivered
    assert not Delivery.objects.exists()


def test_what_is_for_the_active_agent_makes_one_that_is_cleared_at_once(room):
    message = room.say("alex", "a question", "active_agent")
    row = room.delivery(message, "mirror")
    assert (row.state, row.purpose, row.text, row.author) == ("queued", "input", "a question", "alex")
    assert row.cleared_at is not None
    assert Delivery.objects.count() == 1


def test_a_second_question_waits_uncleared_behind_the_first(room):
    first, second = room.say("alex", "one", "active_agent"), room.say("sam", "two", "active_agent")
    assert room.delivery(first, "mirror").cleared_at is not None
    assert room.delivery(second, "mirror").cleared_at is None


def test_two_questions_in_one_batch_are_cleared_one_after_the_other(room):
    outcomes = post([Draft(person(who), room.session.id, "hi", "active_agent") for who in ("alex", "sam")])
    assert all(isinstance(one, Posted) for one in outcomes)
    assert Delivery.objects.filter(cleared_at__isnull=False).count() == 1


def test_everyone_reaches_each_seat_as_context_or_mail_and_starts_no_turn(room):
    message = room.say("alex", "to all", "everyone")
    purposes = dict(Delivery.objects.filter(message=message.id).values_list("seat__handle", "purpose"))
    assert purposes == {"mirror": "context", "scout": "mail"}
    assert room.delivery(message, "mirror").cleared_at is None


def test_context_goes_along_with_the_question_that_follows(room):
    context = room.say("alex", "to all", "everyone")
    room.say("alex", "and now?", "active_agent")
    assert room.delivery(context, "mirror").cleared_at is not None


def test_an_agents_own_words_do_not_come_back_to_it(room):
    message = room.say(agent("scout"), "done", "everyone")
    assert [one.agent for one in message.deliveries] == ["mirror"]


def test_a_connected_agent_is_addressed_with_its_dispatch(room):
    message = room.say("alex", "please", "agent:scout", dispatch="future_turn")
    assert room.delivery(message, "scout").purpose == "mail"
    assert message.audience == "agent:scout"


@pytest.mark.parametrize(
    ("said", "more", "field", "code"),
    [
        ("agent:scout", {}, "dispatch", "dispatch_required"),
        ("agent:scout", {"dispatch": "telepathy"}, "dispatch", "invalid"),
        ("agent:scout", {"dispatch": "consult"}, "dispatch", "no_mode"),
        ("agent:scout", {"dispatch": "child_session"}, "dispatch", "no_mode"),
        (["agent:scout", "agent:mirror"], {"dispatch": "child_session"}, "audience", "invalid"),
        ("agent:nobody", {"dispatch": "future_turn"}, "audience", "no_such_target"),
        ("agent:sam", {"dispatch": "future_turn"}, "audience", "no_such_target"),
        ("participant:xan", {}, "audience", "no_such_target"),
        ("participant:nobody", {}, "audience", "no_such_target"),
        ("participant:mirror", {}, "audience", "no_such_target"),
        ("system", {}, "audience", "invalid"),
        (["participant:sam", "agent:scout"], {}, "audience", "invalid"),
        ("participants", {"dispatch": "consult"}, "dispatch", "invalid"),
        ("participants", {"delivery": "pigeon"}, "delivery", "invalid"),
        ("participants", {"delivery": "steer"}, "delivery", "invalid"),
        ("participants", {"mentions": ["sam"]}, "mentions", "not_available"),
        ("participants", {"on_behalf_of": "two words"}, "on_behalf_of", "invalid"),
        ("participants", {"client_key": ""}, "client_key", "invalid"),
        ("participants", {"client_key": "k" * 129}, "client_key", "invalid"),
        ("participants", {"reply_to": uuid4()}, "reply_to", "no_such_parent"),
    ],
)
def test_what_is_refused_names_its_field_and_keeps_nothing(room, said, more, field, code):
    refusal = room.refused("alex", "hi", said, **more)
    assert (refusal.status, refusal.field, refusal.code) == (422, field, code)
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    ("text", "said", "status"),
    [("a" * 8193, "active_agent", 413), ("a" * 8193, "everyone", 413), ("a" * 65537, "participants", 413),
     ("a" * 8193, None, 413), ("", "participants", 422), ("a\x00", "participants", 422), ("\ud800", "participants", 422)],
)  # fmt: skip
def test_text_out_of_bounds_is_refused(room, text, said, status):
    refusal = room.refused("alex", text, said)
    assert (refusal.status, refusal.field) == (status, "text")


def test_text_within_bounds_is_taken(room):
    assert room.say("alex", "a" * 8192, "active_agent").text == "a" * 8192
    assert room.say("alex", "a" * 65536, "participants").text == "a" * 65536


@pytest.mark.parametrize(
    ("who", "said", "allowed"),
    [("vic", "participants", True), ("vic", "active_agent", False), ("vic", "participant:sam", True),
     ("vic", None, False), ("gus", "participants", True), ("gus", "active_agent", False),
     ("gus", "participant:sam", False), ("gus", "everyone", False), ("sam", "active_agent", True)],
)  # fmt: skip
def test_each_role_speaks_to_whom_it_may(room, who, said, allowed):
    if allowed:
        assert room.say(who, "hi", said).author.id == who
    else:
        assert (room.refused(who, "hi", said).status, Message.objects.count()) == (403, 0)


def test_who_is_outside_finds_nothing(room):
    assert room.refused("xan").status == 404
    with pytest.raises(Person.DoesNotExist):
        room.say("nobody")


def test_the_compatibility_default_is_marked_and_never_becomes_people_only(room):
    message = room.say("alex", "from an old client", None)
    assert (message.audience, message.compat) == ("active_agent", "v1-default")
    assert room.refused("vic", "from an old client", None).status == 403


def test_an_agent_must_say_who_is_to_hear(room):
    refusal = room.refused(agent("scout"), "hi", None)
    assert (refusal.status, refusal.field) == (422, "audience")


def test_nobody_hears_without_an_active_agent(room):
    leave(Membership.objects.get(session=room.session, agent__handle__spelled="mirror"))
    assert room.refused("alex", "anybody?", "active_agent").code == "no_agent"


@pytest.mark.parametrize("said", ["active_agent", "agent:scout"])
def test_an_agent_does_not_write_to_itself(room, said):
    Session.objects.filter(id=room.session.id).update(active_agent=agent("scout").id)
    refusal = room.refused(agent("scout"), "hi me", said, dispatch="future_turn" if said != "active_agent" else "")
    assert (refusal.status, refusal.field) == (422, "audience")


class TestReplies:
    def test_a_reply_to_people_only_stays_so(self, room):
        parent = room.say("alex", "between us")
        reply = room.say("sam", "yes", None, reply_to=parent_id(parent))
        assert (reply.audience, reply.to, reply.reply_to) == ("participants", ["alex"], parent.id)
        assert not Delivery.objects.exists()

    def test_a_reply_to_the_active_agents_words_goes_to_it(self, room):
        said = room.say(agent("mirror"), "an answer", "everyone")
        assert room.say("sam", "and?", None, reply_to=parent_id(said)).audience == "active_agent"

    def test_a_reply_to_another_agents_words_goes_to_that_one(self, room):
        said = room.say(agent("scout"), "news", "everyone")
        reply = room.say("sam", "and?", None, reply_to=parent_id(said))
        assert (reply.audience, reply.to) == ("agent:scout", ["scout"])
        assert room.delivery(reply, "scout").state == "queued"

    def test_a_direct_message_cannot_be_replied_to_by_who_may_not_see_it(self, room):
        parent = room.say("alex", "psst", "participant:sam")
        assert room.refused("mo", "what?", None, reply_to=parent_id(parent)).field == "reply_to"
        assert room.say("sam", "yes", None, reply_to=parent_id(parent)).audience == "participant:alex"

    def test_a_message_of_another_session_is_no_parent(self, room):
        elsewhere = Room(session_of("alex"))
        parent = elsewhere.say("alex", "elsewhere")
        assert room.refused("alex", "here", "participants", reply_to=parent_id(parent)).field == "reply_to"

    def test_an_agent_cannot_reply_to_what_it_was_not_shown(self, room):
        hidden = room.say("alex", "between us")
        waiting = room.say("alex", "later", "agent:scout", dispatch="future_turn")
        for parent in (hidden, waiting):
            assert room.refused(agent("scout"), "what?", None, reply_to=parent_id(parent)).field == "reply_to"

    def test_other_seats_get_no_re_to_what_they_do_not_have(self, room):
        parent = room.say("alex", "between us")
        room.say("sam", "told the agents", "everyone", reply_to=parent_id(parent))
        assert set(Delivery.objects.values_list("re", flat=True)) == {None}

    def test_the_seat_that_has_the_parent_gets_its_re(self, room):
        parent = room.say("alex", "to all", "everyone")
        reply = room.say("sam", "more", "everyone", reply_to=parent_id(parent))
        assert str(room.delivery(reply, "scout").re) == parent.id


class TestKeys:
    def test_the_same_request_again_gives_the_original(self, room):
        first = room.post("alex", "once", "active_agent", client_key="k")
        again = room.post("alex", "once", "active_agent", client_key="k")
        assert (first.created, again.created) == (True, False)
        assert replace(again.message, deliveries=[]) == replace(first.message, deliveries=[])
        assert (Message.objects.count(), Delivery.objects.count()) == (1, 1)

    @pytest.mark.parametrize("other", [{"text": "twice"}, {"said": "active_agent"}, {"on_behalf_of": "mo"}])
    def test_another_request_under_the_key_is_a_conflict_and_keeps_nothing(self, room, other):
        room.say("alex", "once", client_key="k")
        wanted = {"text": "once", "said": "participants"} | other
        assert room.refused("alex", **wanted, client_key="k").status == 409
        assert Message.objects.count() == 1

    def test_keys_are_each_authors_own(self, room):
        assert room.post("alex", "hi", client_key="k").created
        assert room.post("sam", "hi", client_key="k").created

    def test_the_key_comes_before_rights_and_bounds(self, room):
        """Whatever happened since: a demoted author still gets its own message back."""
        first = room.say("sam", "hi", "active_agent", client_key="k")
        join(room.session, Person.objects.get(handle__spelled="sam"), Role.VIEWER)
        assert room.post("sam", "hi", "active_agent", client_key="k").message.id == first.id
        assert room.refused("sam", "hi", "active_agent", client_key="other").status == 403

    def test_the_session_comes_before_the_key(self, room):
        room.say("sam", "hi", client_key="k")
        leave(Membership.objects.get(session=room.session, person__handle__spelled="sam"))
        assert room.refused("sam", "hi", client_key="k").status == 404

    def test_the_shape_comes_before_the_key(self, room):
        room.say("sam", "hi", client_key="k")
        assert room.refused("sam", "", client_key="k").status == 422

    def test_a_batch_recognises_its_own_repeats(self, room):
        draft = Draft(person("alex"), room.session.id, "hi", "participants", client_key="k")
        first, again, other = post([draft, draft, replace(draft, text="ho")])
        assert isinstance(first, Posted)
        assert isinstance(again, Posted)
        assert (first.created, again.created, first.message.id) == (True, False, again.message.id)
        assert isinstance(other, Refusal)
        assert other.status == 409


class TestBatches:
    def test_one_refused_draft_fails_nobody_else(self, room):
        drafts = [Draft(person(who), room.session.id, text, "participants")
                  for who, text in (("alex", "one"), ("sam", ""), ("xan", "three"), ("mo", "four"))]  # fmt: skip
        outcomes = post(drafts)
        assert [type(one) for one in outcomes] == [Posted, Refusal, Refusal, Posted]
        assert sorted(Message.objects.values_list("text", flat=True)) == ["four", "one"]

    def test_numbers_follow_the_drafts_order(self, room):
        outcomes = post([Draft(person("alex"), room.session.id, str(n), "participants") for n in range(5)])
        seqs = [one.message.seq for one in outcomes]
        assert seqs == list(range(seqs[0], seqs[0] + 5))

    def test_a_larger_batch_takes_no_more_queries(self, room, django_assert_max_num_queries):
        def drafts(count):
            return [
                Draft(person("alex"), room.session.id, "hi", "participants", client_key=str(uuid4()))
                for _ in range(count)
            ]

        few, many = drafts(2), drafts(20)
        with django_assert_max_num_queries(16) as few_counted:
            post(few)
        with django_assert_max_num_queries(16) as counted:
            post(many)
        assert len(counted) == len(few_counted)


class TestBounds:
    def test_the_thirty_first_question_in_a_minute_is_too_fast(self, room):
        now = timezone.now()
        Spend.objects.create(who=person("sam").id, what="agent_input", window=now, used=29)
        room.say("sam", "thirty", "agent:scout", dispatch="future_turn")
        refusal = room.refused("sam", "thirty-one", "agent:scout", dispatch="future_turn")
        assert (refusal.status, refusal.code) == (429, "too_fast")
        assert 1 <= refusal.retry_after <= 61
        assert room.say("alex", "mine", "agent:scout", dispatch="future_turn").id

    def test_what_people_say_among_themselves_is_not_counted(self, room):
        Spend.objects.create(who=person("sam").id, what="agent_input", window=timezone.now(), used=30)
        assert room.say("sam", "to people").id

    def test_a_refused_question_costs_nothing(self, room):
        room.refused("sam", "hi", "agent:nobody", dispatch="future_turn")
        assert not Spend.objects.filter(used__gt=0).exists()

    def test_the_seventeenth_waiting_question_finds_the_queue_full(self, room):
        for n in range(16):
            room.say(("alex", "sam")[n % 2], "hi", "active_agent")
        refusal = room.refused("mo", "hi", "active_agent")
        assert (refusal.status, refusal.code) == (429, "queue_full")
        assert refusal.retry_after > 0
        assert room.say("mo", "for people").id

    def test_nor_does_a_batch_get_more_in(self, room):
        drafts = [Draft(person(("alex", "sam")[n % 2]), room.session.id, "hi", "active_agent") for n in range(20)]
        outcomes = post(drafts)
        assert [type(one) for one in outcomes] == [Posted] * 16 + [Refusal] * 4

    def test_context_does_not_count(self, room):
        for _ in range(17):
            room.say("alex", "to all", "everyone")
        assert room.say("alex", "hi", "active_agent").id


def test_a_post_has_its_number_and_its_entries(room):
    message = room.say("alex", "hi", "active_agent")
    kinds = list(
        Entry.objects.filter(session=room.session.id, seq__gte=message.seq).order_by("seq").values_list("seq", "kind")
    )
    assert kinds == [(message.seq, "message"), (message.seq + 1, "disposition"), (message.seq + 2, "disposition")]


def test_what_a_connected_agent_says_lies_in_its_mailbox_by_its_own_number(room):
    room.say(agent("scout"), "one", "participants")
    room.say(agent("scout"), "two", "participants")
    seat = Seat.objects.get(handle="scout")
    assert list(seat.utterances.order_by("number").values_list("number", "text")) == [(1, "one"), (2, "two")]


def parent_id(message):
    from uuid import UUID

    return UUID(message.id)


def session_of(handle):
    from messaging.actions.open_session import open_session

    return open_session(Person.objects.get(handle__spelled=handle), title="Elsewhere")
