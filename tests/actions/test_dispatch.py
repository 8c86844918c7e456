"""Agents that are called by name: what each mode starts, who hears what comes of it, and what is refused."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.db.models import Q

from messaging.actions.clear import clear
from messaging.actions.collect import collect
from messaging.actions.draft import Draft, Refusal
from messaging.actions.enrol import add_agent
from messaging.actions.join import join
from messaging.actions.leave import leave
from messaging.actions.post import post
from messaging.actions.take import take
from messaging.actions.withdraw import withdraw
from messaging.domain.capability import Role
from messaging.domain.dispatch import MAX_CHILDREN, MAX_DEPTH, MAX_HOPS, MAX_TURNS
from messaging.mailbox import say
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Purpose, Seat, Turn
from messaging.roster.models import Agent, Membership, Person, Session
from messaging.transcript import read
from messaging.transcript.models import Message
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db
CANARY = "CANARY-77be"


@pytest.fixture
def room() -> Room:
    """The demo session with a second hosted agent."""
    room = Room.open()
    seated(room.session, "archivist")
    return room


def seated(session: Session, handle: str, **policy: Any) -> Agent:
    owner = Person.objects.get(handle__spelled="alex")
    made = add_agent(handle, kind="hosted", name=handle.title(), provider="mirror", owner=owner)
    for name, value in policy.items():
        setattr(made, name, value)
    made.save()
    join(session, made, Role.AGENT)
    return made


def answers(seat: Seat, text: str) -> Message:
    """The seat's next turn says this; the message that it became."""
    held = claim(seat.id)
    assert held is not None, "nothing waits there"
    say.answer(held, text)
    collect(seat.session)
    return Message.objects.get(turn=held.turn)


def answered_by_nobody(room: Room) -> None:
    """What waits before the archivist is taken back, so that its queue is never full."""
    withdraw(Q(seat=room.seat("archivist"), purpose=Purpose.INPUT), "house", "withdrawn")


def future(room: Room, who: Any, handle: str, text: str = "look into this"):
    return room.say(who, text, f"agent:{handle}", dispatch="future_turn")


class TestAFutureTurn:
    def test_the_one_who_is_named_answers_and_everybody_hears(self, room):
        asked = future(room, "sam", "archivist")
        assert [(one.agent, one.purpose) for one in asked.deliveries] == [("archivist", "input")]
        assert asked.dispatch == "future_turn"
        answered = answers(room.seat("archivist"), "found it")
        assert (answered.audience, answered.answers_id) == ("everyone", Message.objects.get(id=asked.id).id)
        assert room.delivery(asked, "archivist").state == "responded"
        assert claim(room.seat("mirror").id) is None, "the active agent was not asked"

    def test_others_agents_are_not_told_the_question(self, room):
        future(room, "sam", "archivist", f"{CANARY} for one")
        assert not Delivery.objects.filter(seat__handle__in=["mirror", "scout"], text__contains=CANARY).exists()

    def test_an_agents_question_is_answered_to_that_agent_and_people_see_both(self, room):
        scout = agent("scout")
        asked = future(room, scout, "archivist")
        answered = answers(room.seat("archivist"), f"{CANARY} for scout")
        assert (answered.audience, answered.targets) == ("agent", ["scout"])
        assert not Delivery.objects.filter(seat=room.seat("mirror")).exists()
        seen = [one.text for one in read.page(person("vic"), room.session).items]
        assert seen == ["look into this", f"{CANARY} for scout"]
        take(scout, room.session, 10)
        [mail] = Delivery.objects.filter(seat=room.seat("scout"), number__isnull=False)
        assert (str(mail.re), mail.text) == (asked.id, f"{CANARY} for scout")

    def test_where_the_asking_agent_is_gone_people_hear_and_no_agent(self, room):
        scout = agent("scout")
        future(room, scout, "archivist")
        held = claim(room.seat("archivist").id)
        assert held is not None
        leave(Membership.objects.get(session=room.session, agent=scout.id))
        say.answer(held, "too late for scout")
        collect(room.session.id)
        answered = Message.objects.get(turn=held.turn)
        assert answered.audience == "participants"
        assert not Delivery.objects.filter(message=answered.id).exists()
        assert Turn.objects.get(id=held.turn).reason == ""

    def test_several_are_asked_at_once_and_each_answers(self, room):
        room.say("sam", "you both", ["agent:archivist", "agent:mirror"], dispatch="future_turn")
        for handle in ("archivist", "mirror"):
            assert answers(room.seat(handle), f"{handle} says so").audience == "everyone"

    def test_a_reply_to_its_answer_goes_to_it_and_says_no_mode(self, room):
        future(room, "sam", "archivist")
        answered = answers(room.seat("archivist"), "found it")
        more = room.say("sam", "and more?", None, reply_to=answered.id)
        assert (more.audience, more.dispatch) == ("agent:archivist", "")
        assert answers(room.seat("archivist"), "that is all").answers_id is not None

    def test_who_may_not_dispatch_is_refused_and_nothing_waits(self, room):
        for who in ("vic", "gus"):
            refusal = room.refused(who, "go", "agent:archivist", dispatch="future_turn")
            assert (refusal.status, refusal.code) == (403, "no_capability")
        assert not Delivery.objects.exists()


class TestAChainOfAgents:
    def test_two_that_answer_each_other_end_with_the_answer_to_the_answer(self, room):
        """Both hosted: what one asks the other comes back once, and thanks start nothing."""
        seats = {handle: room.seat(handle) for handle in ("mirror", "archivist")}
        future(room, agent("mirror"), "archivist", "a question")
        assert answers(seats["archivist"], "an answer").targets == ["mirror"]
        thanks = answers(seats["mirror"], "thanks")
        assert thanks.targets == ["archivist"]
        assert Delivery.objects.get(message=thanks.id).purpose == Purpose.CONTEXT
        clear(room.session.id)
        assert claim(seats["archivist"].id) is None

    def test_after_eight_hops_without_a_person_it_ends(self, room):
        """Scout asks again whatever it is answered: it is heard eight times, counting each turn that led there."""
        scout, seat = agent("scout"), room.seat("archivist")
        heard, refusal = 0, None
        for n in range(MAX_HOPS + 4):
            outcome = post([Draft(scout, room.session.id, f"again {n}", "agent:archivist", "future_turn")])[0]
            if isinstance(outcome, Refusal):
                refusal = outcome
                break
            heard += 1
            answers(seat, f"answer {n}")
            take(scout, room.session, 10)
        assert refusal is not None
        assert (refusal.status, refusal.code, refusal.field) == (422, "hops", "dispatch")
        assert heard == MAX_HOPS // 2
        assert max(Delivery.objects.values_list("hops", flat=True)) == MAX_HOPS

    def test_an_agent_cannot_go_on_by_asking_the_active_agent_or_by_replying(self, room):
        scout = agent("scout")
        mail = room.say("sam", "to scout", "agent:scout", dispatch="future_turn")
        take(scout, room.session, 10)
        Delivery.objects.filter(message=mail.id).update(hops=MAX_HOPS)
        assert room.refused(scout, "again", "active_agent").code == "hops"
        assert room.refused(scout, "again", "agent:archivist", dispatch="future_turn", reply_to=mail.id).code == "hops"

    def test_a_persons_word_begins_the_count_anew(self, room):
        scout = agent("scout")
        mail = room.say("sam", "to scout", "agent:scout", dispatch="future_turn")
        Delivery.objects.filter(message=mail.id).update(hops=MAX_HOPS)
        room.say("sam", "a new matter", "agent:scout", dispatch="future_turn")
        take(scout, room.session, 10)
        asked = future(room, scout, "archivist")
        assert room.delivery(asked, "archivist").hops == 1

    def test_spread_wide_it_ends_as_well(self, room):
        """Whoever passes everything on to several would else begin more turns with each hop, eight hops deep."""
        scout = agent("scout")
        mail = room.say("sam", "to scout", "agent:scout", dispatch="future_turn")
        take(scout, room.session, 10)
        taken = 0
        for n in range(MAX_TURNS + 2):
            outcome = post([Draft(scout, room.session.id, f"part {n}", "agent:archivist", "future_turn")])[0]
            if isinstance(outcome, Refusal):
                assert (outcome.status, outcome.code) == (422, "hops")
                break
            taken += 1
            answered_by_nobody(room)
        assert taken == MAX_TURNS
        assert set(Delivery.objects.filter(hops=1).values_list("root", flat=True)) == {UUID(mail.id)}
        room.say("sam", "a new matter", "agent:scout", dispatch="future_turn")
        take(scout, room.session, 10)
        assert future(room, scout, "archivist").deliveries

    def test_an_answer_that_would_go_too_far_is_heard_and_starts_nothing(self, room):
        future(room, agent("mirror"), "archivist")
        Delivery.objects.update(hops=MAX_HOPS)
        answered = answers(room.seat("archivist"), "an answer")
        assert Delivery.objects.get(message=answered.id).purpose == Purpose.CONTEXT


class TestAPolicy:
    @pytest.mark.parametrize(
        ("policy", "code", "field"),
        [
            ({"modes": []}, "no_mode", "dispatch"),
            ({"modes": ["advisor"]}, "no_mode", "dispatch"),
            ({"namespaces": ["lab"]}, "namespace", "audience"),
        ],
    )
    def test_people_and_agents_meet_the_same_one(self, room, policy, code, field):
        seated(room.session, "clerk", **policy)
        for who in ("alex", agent("scout")):
            refusal = room.refused(who, "go", "agent:clerk", dispatch="future_turn")
            assert (refusal.status, refusal.code, refusal.field) == (422, code, field)
            assert "Clerk" in refusal.detail
        assert not Delivery.objects.filter(seat__handle="clerk").exists()

    def test_a_namespace_that_it_works_in_is_no_hindrance(self, room):
        Session.objects.filter(id=room.session.id).update(namespace="lab")
        seated(room.session, "clerk", namespaces=["lab"])
        future(room, "sam", "clerk")
        assert answers(room.seat("clerk"), "done").audience == "everyone"

    def test_one_that_got_narrower_meanwhile_is_met_when_the_input_is_cleared(self, room):
        first, second = future(room, "sam", "archivist", "first"), future(room, "sam", "archivist", "second")
        Seat.objects.filter(handle="archivist").update(policy={"modes": []})
        answers(room.seat("archivist"), "the first was cleared before")
        row = room.delivery(second, "archivist")
        assert (row.state, row.reason) == ("rejected", "no_mode")
        assert room.delivery(first, "archivist").state == "responded"

    def test_the_active_agent_is_kept_to_its_namespaces_too(self, room):
        Seat.objects.filter(handle="mirror").update(policy={"namespaces": ["lab"]})
        refusal = room.refused("sam", "hello", "active_agent")
        assert (refusal.code, refusal.field) == ("namespace", "audience")

    def test_no_mode_is_ever_inferred(self, room):
        refusal = room.refused("sam", "go", "agent:archivist")
        assert (refusal.status, refusal.code) == (422, "dispatch_required")


class TestASideSession:
    def open(self, room: Room, who: Any = "sam", text: str = "look into this\nin depth") -> Session:
        made = room.say(who, text, "agent:archivist", dispatch="child_session")
        assert made.child is not None
        assert made.deliveries == [], "nothing waits where it was asked for"
        return Session.objects.get(id=made.child)

    def test_it_has_its_own_members_and_the_message_as_its_first_input(self, room):
        child = self.open(room)
        assert (child.title, child.parent_id, child.depth) == ("look into this", room.session.id, 1)
        members = Membership.objects.filter(session=child, left_at=None)
        assert {(one.person or one.agent).handle.spelled: one.role for one in members} == {
            "sam": "owner",
            "archivist": "agent",
        }
        [first] = Message.objects.filter(session=child)
        assert (first.text, first.audience) == ("look into this\nin depth", "active_agent")
        answered = answers(Seat.objects.get(session=child.id), "found it")
        assert (answered.session_id, answered.audience) == (child.id, "everyone")
        assert not Message.objects.filter(session=room.session, text="found it").exists()

    def test_it_gets_nothing_of_its_parent_but_what_was_given(self, room):
        room.say("alex", f"{CANARY} among people")
        room.say("alex", f"{CANARY} to the agent", "active_agent")
        room.say("alex", f"{CANARY} to all", "everyone")
        child = self.open(room)
        seat = Seat.objects.get(session=child.id)
        assert [row.text for row in Delivery.objects.filter(seat=seat)] == ["look into this\nin depth"]
        assert CANARY not in str(list(Message.objects.filter(session=child).values_list("text", flat=True)))

    def test_others_of_the_parent_see_that_it_was_opened_and_not_what_is_in_it(self, room):
        child = self.open(room)
        [seen] = [one for one in read.page(person("vic"), room.session).items if one.child]
        assert (seen.child, seen.dispatch) == (str(child.id), "child_session")
        from messaging.roster import access

        with pytest.raises(access.Hidden):
            access.session(person("vic"), child.id)
        assert access.session(person("sam"), child.id) == child

    def test_one_by_an_agent_belongs_to_the_person_that_owns_the_agent(self, room):
        child = self.open(room, agent("scout"))
        members = Membership.objects.filter(session=child, left_at=None)
        handles = {(one.person or one.agent).handle.spelled: one.role for one in members}
        assert handles == {"alex": "owner", "archivist": "agent", "scout": "agent"}
        [first] = Delivery.objects.filter(seat__session=child.id, seat__handle="archivist")
        assert (first.author, first.hops, first.depth) == ("scout", 1, 1)

    def test_an_agent_without_an_owner_opens_none(self, room):
        Agent.objects.filter(handle__spelled="scout").update(owner=None)
        refusal = room.refused(agent("scout"), "go", "agent:archivist", dispatch="child_session")
        assert (refusal.status, refusal.code) == (422, "not_available")

    def test_they_lie_two_deep_and_no_deeper(self, room):
        Session.objects.filter(id=room.session.id).update(depth=MAX_DEPTH)
        refusal = room.refused("alex", "go", "agent:archivist", dispatch="child_session")
        assert (refusal.code, refusal.field) == ("depth", "dispatch")

    def test_a_session_has_fifty_and_no_more(self, room):
        rows = [Session(slug=f"child-{n}", title="x", parent=room.session) for n in range(MAX_CHILDREN - 1)]
        Session.objects.bulk_create(rows)
        self.open(room)
        refusal = room.refused("alex", "go", "agent:archivist", dispatch="child_session")
        assert (refusal.code, refusal.field) == ("children", "dispatch")

    def test_a_repeat_of_its_key_opens_no_second(self, room):
        words = {"dispatch": "child_session", "client_key": "once"}
        first, again = (room.post("sam", "go", "agent:archivist", **words) for _ in range(2))
        assert (first.created, again.created) == (True, False)
        assert first.message.child == again.message.child
        assert Session.objects.filter(parent=room.session).count() == 1

    def test_it_costs_its_author_one_question(self, room):
        from messaging.roster.models import Spend

        self.open(room)
        assert Spend.objects.get(who=person("sam").id).used == 1

    def test_a_batch_opens_each_and_a_refused_one_none(self, room):
        sam, vic = person("sam"), person("vic")
        drafts = [Draft(who, room.session.id, "go", "agent:archivist", "child_session") for who in (sam, vic, sam)]
        outcomes = post(drafts)
        assert [isinstance(one, Refusal) for one in outcomes] == [False, True, False]
        assert Session.objects.filter(parent=room.session).count() == 2
