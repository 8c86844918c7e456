"""What a fork begins with and what a merge brings back: what was meant for agents, and people's words by choice alone."""

from __future__ import annotations

from uuid import UUID

import pytest

from messaging.actions.collect import collect
from messaging.actions.delete import delete
from messaging.actions.draft import Refusal
from messaging.actions.enrol import add_agent
from messaging.actions.fork import fork
from messaging.actions.join import join
from messaging.actions.merge import merge
from messaging.domain.capability import Role
from messaging.mailbox import say
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Seat
from messaging.roster.access import Forbidden, Hidden
from messaging.roster.models import Membership, Person, Session
from messaging.transcript.models import AuditEntry, Message
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db
CANARY = "CANARY-b0c4"


@pytest.fixture
def room() -> Room:
    return Room.open()


def answered(room: Room, question: str, answer: str) -> None:
    room.say("sam", question, "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    say.answer(held, answer)
    collect(room.session.id)


def texts(session: Session) -> list[str]:
    return list(Message.objects.filter(session=session).order_by("seq").values_list("text", flat=True))


def before_agents(session: Session) -> str:
    return str(list(Delivery.objects.filter(seat__session=session.id).values_list("text", flat=True)))


class TestAFork:
    def test_it_begins_with_what_the_agent_was_told_and_answered(self, room):
        answered(room, "first", "one")
        answered(room, "second", "two")
        made = fork(person("alex"), room.session, title="Another way")
        assert (made.title, made.fork_of_id, made.parent_id, made.active_agent) == (
            "Another way", room.session.id, None, room.session.active_agent,
        )  # fmt: skip
        assert texts(made) == ["first", "one", "second", "two"]
        rows = Message.objects.filter(session=made).order_by("seq").values_list("on_behalf_of", flat=True)
        assert list(rows) == ["sam", "mirror", "sam", "mirror"]
        members = {(one.person or one.agent).handle.spelled for one in Membership.objects.filter(session=made)}
        assert members == {"alex", "mirror"}

    def test_the_agent_is_told_it_with_the_next_question_and_answers_nothing_before(self, room):
        answered(room, "first", "one")
        made = fork(person("alex"), room.session)
        seat = Seat.objects.get(session=made.id)
        assert claim(seat.id) is None
        here = Room(made)
        here.say("alex", "and now?", "active_agent")
        assert claim(seat.id) is not None
        shown = Delivery.objects.filter(seat=seat, number__isnull=False).order_by("number")
        assert list(shown.values_list("text", flat=True)) == ["first", "one", "and now?"]

    def test_nothing_that_people_said_among_themselves_goes_along(self, room):
        room.say("sam", f"{CANARY} among people")
        room.say("alex", f"{CANARY} to sam", "participant:sam")
        answered(room, "control", "one")
        gone = room.say("sam", f"{CANARY} taken back", "everyone")
        answered(room, "second", "two")
        delete(person("sam"), gone.id)
        room.say("sam", f"{CANARY} was not heard yet", "active_agent")
        made = fork(person("alex"), room.session)
        assert texts(made) == ["control", "one", "second", "two"]
        assert CANARY not in before_agents(made)
        assert "control" in before_agents(made)

    def test_an_answer_that_is_for_people_alone_does_not_go_along_by_itself(self, room):
        Session.objects.filter(id=room.session.id).update(answers="participants")
        answered(room, "first", "one, for people")
        assert texts(fork(person("alex"), room.session)) == ["first"]

    def test_up_to_a_message(self, room):
        answered(room, "first", "one")
        until = Message.objects.get(text="one").id
        answered(room, "second", "two")
        assert texts(fork(person("alex"), room.session, until=until)) == ["first", "one"]

    def test_peoples_words_go_along_by_choice_with_a_reason_and_a_confirmation(self, room):
        spoken = UUID(room.say("sam", "among people").id)
        answered(room, "first", "one")
        who = person("sam")
        with pytest.raises(Refusal, match="reason"):
            fork(who, room.session, messages=[spoken])
        with pytest.raises(Refusal) as refused:
            fork(who, room.session, messages=[spoken], reason="it matters")
        assert (refused.value.status, refused.value.code) == (409, "confirm_required")
        assert Session.objects.filter(fork_of=room.session).count() == 0
        made = fork(who, room.session, messages=[spoken], reason="it matters", confirm=True)
        assert texts(made) == ["among people", "first", "one"]
        entry = AuditEntry.objects.get(verb="reclassified")
        assert (entry.detail["into"], entry.detail["reason"]) == (str(made.id), "it matters")

    def test_anothers_words_take_the_role_that_reaches_them(self, room):
        spoken = UUID(room.say("mo", "among people").id)
        with pytest.raises(Forbidden):
            fork(person("sam"), room.session, messages=[spoken], reason="it matters", confirm=True)
        assert texts(fork(person("mo"), room.session, messages=[spoken], reason="it matters", confirm=True))

    def test_a_direct_message_goes_nowhere(self, room):
        spoken = UUID(room.say("sam", "to mo", "participant:mo").id)
        for who in ("sam", "mo", "alex"):
            with pytest.raises(Refusal) as refused:
                fork(person(who), room.session, messages=[spoken], reason="it matters", confirm=True)
            assert (refused.value.status, refused.value.field) == (422, "messages")

    def test_who_may_not_export_forks_nothing_and_outside_there_is_nothing(self, room):
        for who in ("vic", "gus"):
            with pytest.raises(Forbidden):
                fork(person(who), room.session)
        with pytest.raises(Hidden):
            fork(person("xan"), room.session)

    def test_an_answer_longer_than_a_question_may_be_goes_along(self, room):
        answered(room, "first", "x" * 20_000)
        assert len(texts(fork(person("alex"), room.session))[1]) == 20_000

    def test_it_is_no_way_round_the_bound_of_depth(self, room):
        Session.objects.filter(id=room.session.id).update(depth=2)
        answered(room, "first", "one")
        assert fork(person("alex"), Session.objects.get(id=room.session.id)).depth == 2


class TestAMerge:
    @pytest.fixture
    def child(self, room) -> Session:
        owner = Person.objects.get(handle__spelled="alex")
        join(room.session, add_agent("archivist", kind="hosted", provider="mirror", owner=owner), Role.AGENT)
        made = room.say("sam", "look into this", "agent:archivist", dispatch="child_session")
        child = Session.objects.get(id=made.child)
        held = claim(Seat.objects.get(session=child.id).id)
        assert held is not None
        say.answer(held, "the result")
        collect(child.id)
        return child

    def of(self, child: Session, text: str) -> UUID:
        return Message.objects.get(session=child, text=text).id

    def test_what_is_chosen_comes_back_as_new_messages_by_who_brings_them(self, room, child):
        [made] = merge(person("sam"), room.session, child.slug, [self.of(child, "the result")], "participants")
        assert (made.author.id, made.on_behalf_of, made.audience, made.text) == (
            "sam", "archivist", "participants", "the result",
        )  # fmt: skip
        assert not Delivery.objects.filter(message=made.id).exists()

    def test_it_reaches_the_agent_here_only_where_that_is_said(self, room, child):
        [made] = merge(person("sam"), room.session, child.slug, [self.of(child, "the result")], "active_agent")
        assert [one.agent for one in made.deliveries] == ["mirror"]

    def test_peoples_own_words_there_take_a_reason_and_a_confirmation_towards_agents(self, room, child):
        Room(child).say("sam", f"{CANARY} among people")
        spoken = self.of(child, f"{CANARY} among people")
        who = person("sam")
        assert merge(who, room.session, child.slug, [spoken], "participants")
        for more, status in (({}, 422), ({"reason": "it matters"}, 409)):
            with pytest.raises(Refusal) as refused:
                merge(who, room.session, child.slug, [spoken], "everyone", **more)
            assert refused.value.status == status
        assert CANARY not in before_agents(room.session)
        merge(who, room.session, child.slug, [spoken], "everyone", reason="it matters", confirm=True)
        assert CANARY in before_agents(room.session)
        assert AuditEntry.objects.get(verb="reclassified").detail["into"] == str(room.session.id)

    def test_it_comes_back_to_where_it_came_from_alone(self, room, child):
        other = fork(person("sam"), child)
        for into in (room.session, other):
            with pytest.raises(Refusal) as refused:
                merge(person("sam"), into, room.session.slug, [self.of(child, "the result")], "participants")
            assert refused.value.field == "source"
        carried = Message.objects.get(session=other, text="the result").id
        assert merge(person("sam"), child, other.slug, [carried], "participants")

    def test_who_is_not_in_it_brings_nothing_back_and_learns_nothing(self, room, child):
        for name in (child.slug, str(child.id), "no-such"):
            with pytest.raises(Refusal) as refused:
                merge(person("alex"), room.session, name, [self.of(child, "the result")], "participants")
            assert (refused.value.status, refused.value.field) == (422, "source")

    def test_all_come_back_or_none(self, room, child):
        before = Message.objects.filter(session=room.session).count()
        ids = [self.of(child, "the result"), self.of(child, "look into this")]
        with pytest.raises(Refusal):
            merge(person("sam"), room.session, child.slug, ids, "agent:nobody", dispatch="future_turn")
        assert Message.objects.filter(session=room.session).count() == before

    def test_who_may_not_ask_agents_here_brings_nothing_before_them(self, room, child):
        join(child, Person.objects.get(handle__spelled="vic"), Role.MEMBER)
        with pytest.raises(Refusal) as refused:
            merge(person("vic"), room.session, child.slug, [self.of(child, "the result")], "active_agent")
        assert (refused.value.status, refused.value.code) == (403, "no_capability")


def test_an_agent_forks_nothing(room, client):
    from tests.cast import bearer

    answer = client.post(
        "/api/v1/sessions/welcome/fork", "{}", content_type="application/json", headers=bearer("scout")
    )
    assert answer.status_code in (403, 404)
    assert agent("scout").kind == "agent"
