"""Agents that staff keep: added, changed in all their sessions at once, paused together, asked where nobody else is."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from messaging.actions.ask_privately import ask_privately
from messaging.actions.change_agent import change_agent
from messaging.actions.clear import clear
from messaging.actions.close_agent import close_agent
from messaging.actions.close_session import close_session
from messaging.actions.collect import collect
from messaging.actions.draft import Refusal
from messaging.actions.enrol import add_agent
from messaging.actions.join import join
from messaging.actions.open_session import open_session
from messaging.actions.pause_agents import pause_agents, resume_agents
from messaging.actions.sweep import sweep
from messaging.domain.capability import Role
from messaging.mailbox import say
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Seat
from messaging.roster import access
from messaging.roster.access import Forbidden, Hidden
from messaging.roster.models import Agent, Installation, Membership, Person, Session
from messaging.transcript.models import AuditEntry, Message
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db
MODEL = {"model": "m", "base_url": "http://127.0.0.1:1/v1"}


@pytest.fixture
def room():
    return Room.open()


def row(handle: str = "mirror") -> Agent:
    return Agent.objects.get(handle__spelled=handle)


def entries(change: str) -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(verb="agent", detail__change=change).order_by("at"))


def human(handle: str) -> Person:
    return Person.objects.select_related("handle").get(handle__spelled=handle)


class TestAdding:
    def test_it_is_on_record_with_who_did_it(self, room):
        made = add_agent("thinker", kind="hosted", provider="openai", settings=MODEL, by=person("alex"), turns_a_day=5)
        [entry] = [one for one in entries("added") if one.about == made.id]
        assert (entry.actor, entry.detail["handle"]) == ("alex", "thinker")
        assert row("thinker").turns_a_day == 5

    @pytest.mark.parametrize(
        ("more", "field"),
        [
            ({"modes": ["everything"]}, "modes"),
            ({"modes": "consult"}, "modes"),
            ({"namespaces": ["two words"]}, "namespaces"),
            ({"tools": {"recall": "perhaps"}}, "tools"),
            ({"tools": {"Re call": "allowed"}}, "tools"),
            ({"turns_a_day": 0}, "turns_a_day"),
            ({"tokens_a_day": True}, "tokens_a_day"),
            ({"settings": MODEL | {"api_key": "sk-1"}}, "settings.api_key"),
            ({"name": "a\x00b"}, "name"),
        ],
    )
    def test_what_does_not_fit_is_named_and_nothing_is_kept(self, room, more, field):
        with pytest.raises(ValidationError) as refused:
            add_agent("thinker", **{"kind": "hosted", "provider": "openai", "settings": MODEL} | more)
        assert list(refused.value.message_dict) == [field]
        assert not Agent.objects.filter(handle__spelled="thinker").exists()

    def test_one_that_runs_elsewhere_takes_no_budget_and_no_other_mode(self, room):
        for more in ({"turns_a_day": 5}, {"modes": ["consult"]}):
            with pytest.raises(ValidationError):
                add_agent("runner", kind="connected", **more)
        assert add_agent("runner", kind="connected", modes=["future_turn"]).modes == ["future_turn"]


class TestChanging:
    def test_every_seat_of_it_has_the_change_and_other_agents_none(self, room):
        other = open_session(human("sam"), title="Another", active_agent=row())
        before = Seat.objects.get(session=room.session.id, handle="scout").name
        change_agent(person("alex"), "mirror", name="Looking Glass", settings={"pause": 0.5}, modes=["consult"])
        seats = Seat.objects.filter(handle="mirror", session__in=[room.session.id, other.id])
        told = {(one.name, one.settings["pause"], tuple(one.policy["modes"])) for one in seats}
        assert told == {("Looking Glass", 0.5, ("consult",))}
        assert len(seats) == 2
        assert room.seat("scout").name == before

    def test_the_next_post_goes_by_it_whatever_was_remembered(self, room):
        room.say("sam", "first", "agent:mirror", dispatch="future_turn")
        change_agent(person("alex"), "mirror", modes=[])
        assert room.refused("sam", "second", "agent:mirror", dispatch="future_turn").code == "no_mode"
        change_agent(person("alex"), "mirror", modes=None)
        room.say("sam", "third", "agent:mirror", dispatch="future_turn")

    def test_what_waits_is_looked_at_again_when_it_is_cleared(self, room):
        room.say("sam", "first", "agent:mirror", dispatch="future_turn")
        waits = room.say("sam", "second", "agent:mirror", dispatch="future_turn")
        change_agent(person("alex"), "mirror", modes=[])
        held = claim(room.seat("mirror").id)
        assert held is not None, "what was let through goes on"
        say.answer(held, "done")
        collect(room.session.id)
        assert room.delivery(waits, "mirror").reason == "no_mode"

    def test_it_is_on_record_once_and_instructions_are_not_in_it(self, room):
        add_agent("thinker", kind="hosted", provider="openai", settings=MODEL)
        wanted = MODEL | {"model": "n", "instructions": "CANARY-5b1"}
        for _ in range(2):
            change_agent(person("alex"), "thinker", settings=wanted, turns_a_day=7)
        [entry] = entries("settings")
        assert (entry.actor, entry.detail["model"], entry.detail["turns_a_day"]) == ("alex", ["m", "n"], [None, 7])
        assert "CANARY-5b1" not in str(entry.detail)
        assert "instructions" in entry.detail

    def test_what_does_not_fit_changes_nothing(self, room):
        add_agent("thinker", kind="hosted", provider="openai", settings=MODEL)
        with pytest.raises(ValidationError) as refused:
            change_agent(person("alex"), "thinker", name="Else", settings={"model": "m"})
        assert list(refused.value.message_dict) == ["settings.key_env"]
        assert (row("thinker").name, row("thinker").settings) == ("thinker", MODEL)

    @pytest.mark.parametrize("handle", ["mo", "sam", "vic", "gus"])
    def test_who_is_no_staff_changes_nothing(self, room, handle):
        with pytest.raises(Forbidden):
            change_agent(person(handle), "mirror", name="Else")
        assert row().name == "Mirror"
        assert not entries("settings")

    def test_nobodys_handle_is_not_there(self, room):
        with pytest.raises(Hidden):
            change_agent(person("alex"), "nobody", name="Else")


class TestPausing:
    def test_what_is_asked_meanwhile_waits_and_goes_on_afterwards(self, room):
        seat = room.seat("mirror")
        pause_agents(person("alex"))
        asked = [room.say("sam", text, "active_agent") for text in ("first", "second")]
        rows = [room.delivery(one, "mirror") for one in asked]
        assert {(one.state, one.cleared_at) for one in rows} == {("queued", None)}
        for go in (lambda: clear(room.session.id), sweep, lambda: collect(room.session.id)):
            go()
            assert claim(seat.id) is None
        resume_agents(person("alex"))
        held = claim(seat.id)
        assert held is not None
        assert held.input == rows[0].id
        assert [one.detail.get("handle", "") for one in (*entries("paused"), *entries("resumed"))] == ["", ""]

    def test_a_turn_that_runs_is_finished_and_the_next_one_waits(self, room):
        seat = room.seat("mirror")
        room.say("sam", "first", "active_agent")
        waits = room.say("sam", "second", "active_agent")
        held = claim(seat.id)
        assert held is not None
        pause_agents(None)
        say.answer(held, "done")
        collect(room.session.id)
        assert Message.objects.filter(turn=held.turn).exists()
        assert room.delivery(waits, "mirror").state == "queued"
        assert claim(seat.id) is None

    def test_what_runs_elsewhere_takes_its_mail_as_ever(self, room):
        pause_agents(None)
        mail = room.say("sam", "to scout", "agent:scout", dispatch="future_turn")
        assert room.delivery(mail, "scout").cleared_at is not None

    def test_what_was_taken_back_while_they_paused_is_not_handed_over(self, room):
        from messaging.actions.supersede import supersede

        pause_agents(None)
        gone, kept = (room.say("sam", text, "active_agent") for text in ("first", "second"))
        supersede(person("sam"), gone.id)
        resume_agents(None)
        assert room.delivery(gone, "mirror").state == "superseded"
        assert room.delivery(kept, "mirror").cleared_at is not None

    def test_the_same_again_leaves_no_second_entry(self, room):
        for deed in (pause_agents, pause_agents, resume_agents, resume_agents):
            deed(None)
        assert (len(entries("paused")), len(entries("resumed"))) == (1, 1)
        assert Installation.paused_since() is None

    def test_the_owner_may_without_being_staff(self, room):
        human("mo").account.save()
        Installation.the()
        Installation.objects.update(owner=human("mo"))
        pause_agents(person("mo"))
        assert Installation.paused_since() is not None

    @pytest.mark.parametrize("handle", ["mo", "sam", "gus"])
    def test_who_is_neither_owner_nor_staff_neither_pauses_nor_resumes(self, room, handle):
        with pytest.raises(Forbidden):
            pause_agents(person(handle))
        assert Installation.paused_since() is None
        pause_agents(None)
        with pytest.raises(Forbidden):
            resume_agents(person(handle))
        assert Installation.paused_since() is not None


class TestAskingPrivately:
    def test_it_opens_a_session_of_the_two_and_finds_it_again(self, room):
        first = ask_privately(person("sam"), "mirror")
        members = Membership.objects.filter(session=first, left_at=None)
        assert {one.person or one.agent for one in members} == {human("sam"), row()}
        assert ask_privately(person("sam"), "mirror").id == first.id
        assert ask_privately(person("mo"), "mirror").id != first.id

    def test_nobody_else_sees_it(self, room):
        made = ask_privately(person("sam"), "mirror", "a secret")
        for other in ("alex", "mo", "vic"):
            with pytest.raises(Hidden):
                access.session(person(other), made.id)
        assert not Delivery.objects.filter(text="a secret").exclude(seat__handle="mirror").exists()

    def test_one_that_others_have_joined_or_that_is_closed_is_not_taken(self, room):
        joined = ask_privately(person("sam"), "mirror")
        join(joined, human("mo"), Role.MEMBER)
        closed = ask_privately(person("sam"), "mirror")
        assert closed.id != joined.id
        close_session(person("sam"), closed)
        assert ask_privately(person("sam"), "mirror").id not in (joined.id, closed.id)

    def test_a_side_session_is_none(self, room):
        room.say("sam", "look into this", "agent:mirror", dispatch="child_session")
        child = Session.objects.get(parent=room.session)
        assert ask_privately(person("sam"), "mirror").id != child.id

    def test_what_is_asked_starts_a_turn(self, room):
        made = ask_privately(person("alex"), "mirror", "Are you there?")
        held = claim(Seat.objects.get(session=made.id).id)
        assert held is not None
        say.answer(held, "I am")
        collect(made.id)
        assert Message.objects.get(turn=held.turn).text == "I am"

    def test_an_agent_out_of_use_is_refused_and_nothing_is_opened(self, room):
        close_agent(None, "mirror")
        before = Session.objects.count()
        with pytest.raises(Refusal) as refused:
            ask_privately(person("sam"), "mirror", "hello")
        assert refused.value.code == "not_available"
        assert Session.objects.count() == before

    def test_neither_is_one_opened_where_the_question_is_refused(self, room):
        change_agent(None, "mirror", namespaces=["lab"])
        before = Session.objects.count()
        with pytest.raises(Refusal) as refused:
            ask_privately(person("sam"), "mirror", "hello")
        assert refused.value.code == "namespace"
        assert Session.objects.count() == before

    def test_nobodys_handle_is_not_there(self, room):
        with pytest.raises(Hidden):
            ask_privately(person("sam"), "nobody")


def test_agents_are_no_staff(room):
    """An agent's token makes no Viewer, and its handle no person of the house."""
    with pytest.raises((Forbidden, Hidden)):
        change_agent(agent("scout"), "mirror", name="Else")  # type: ignore[arg-type]
