"""What an agent is granted in a session, where it is run, and by which tools it may ask: at post, at clearing, in targets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from messaging.actions.change_agent import change_agent
from messaging.actions.collect import collect
from messaging.actions.configure import configure
from messaging.actions.draft import Draft, Refusal
from messaging.actions.enrol import add_agent
from messaging.actions.fork import fork
from messaging.actions.join import join
from messaging.actions.leave import leave
from messaging.actions.manage_members import add_member
from messaging.actions.open_session import Beginning, open_session
from messaging.actions.post import post_one
from messaging.actions.sweep import sweep
from messaging.actions.take import take
from messaging.actions.targets import targets
from messaging.agents import turn
from messaging.agents.context import Request
from messaging.domain.call import Call
from messaging.domain.capability import Role
from messaging.mailbox import say, served, wake
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Seat, Source, ToolCall, Turn
from messaging.roster.access import Forbidden
from messaging.roster.models import Agent, Membership, Person, Session
from messaging.transcript.models import AuditEntry
from tests.agents.fakes import Fake, put_in
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room() -> Room:
    """The demo session with an archivist, and two sources."""
    room = Room.open()
    for name in ("notes", "wiki"):
        Source.objects.create(name=name, transport="folder", settings={"path": "/n"}, asked_at=timezone.now())
    owner = Person.objects.get(handle__spelled="alex")
    made = add_agent("archivist", kind="hosted", name="Archivist", provider="mirror", owner=owner)
    join(room.session, made, Role.AGENT)
    return room


@pytest.fixture
def fleet() -> Iterator[Any]:
    """Says which placements are served, until the test ends."""
    yield lambda *names: served.install(lambda: frozenset(names))
    served.install(None)


def row(handle: str = "archivist") -> Agent:
    return Agent.objects.select_related("handle").get(handle__spelled=handle)


def human(handle: str) -> Person:
    return Person.objects.select_related("handle").get(handle__spelled=handle)


def change(**changes: Any) -> None:
    change_agent(person("alex"), "archivist", **changes)


def grant(room: Room, names: list[str] | None) -> None:
    configure(person("alex"), Session.objects.get(id=room.session.id), sources=names)


def ask(room: Room, who: Any = "sam", text: str = "look"):
    return room.say(who, text, "agent:archivist", dispatch="future_turn")


def answered(room: Room, handle: str = "archivist") -> None:
    held = claim(room.seat(handle).id)
    assert held is not None
    say.answer(held, "done")
    collect(room.session.id)


def listed(room: Room, who: Any = "sam") -> dict[str, list[str]]:
    found = targets(person(who) if isinstance(who, str) else who, Session.objects.get(id=room.session.id))
    return {one.id: one.modes for one in found.agents}


class TestSources:
    def test_a_seat_has_those_of_its_agent_that_the_session_grants(self, room):
        assert room.seat("archivist").sources == []
        change(sources=["wiki", "notes"])
        assert room.seat("archivist").sources == ["notes", "wiki"]
        grant(room, ["wiki"])
        assert room.seat("archivist").sources == ["wiki"]
        grant(room, None)
        assert room.seat("archivist").sources == ["notes", "wiki"]
        assert room.seat("mirror").sources == [], "nobody has what nobody gave it"

    def test_each_session_by_its_own_and_whichever_way_the_seat_is_made(self, room):
        change(sources=["wiki", "notes"])
        narrow = open_session(
            human("sam"), title="Narrow", active_agent=row(), beginning=Beginning(sources=["notes", "notes"])
        )
        assert (narrow.sources, Seat.objects.get(session=narrow.id).sources) == (["notes"], ["notes"])
        change(sources=["wiki"])
        assert Seat.objects.get(session=narrow.id).sources == []
        assert room.seat("archivist").sources == ["wiki"]
        leave(Membership.objects.get(session=room.session, agent=row().id))
        change(sources=["notes"])
        add_member(person("alex"), room.session, "archivist", "agent")
        assert room.seat("archivist").sources == ["notes"]

    def test_a_side_session_and_a_fork_grant_no_more_than_what_they_come_from(self, room):
        grant(room, ["notes"])
        configure(person("alex"), room.session, namespace="lab")
        made = room.say("sam", "look", "agent:archivist", dispatch="child_session")
        child = Session.objects.get(id=made.child)
        other = fork(person("sam"), Session.objects.get(id=room.session.id))
        assert [(one.sources, one.namespace) for one in (child, other)] == [(["notes"], "lab")] * 2

    def test_an_agent_none_of_whose_sources_is_granted_is_not_asked(self, room):
        change(sources=["notes"])
        grant(room, ["wiki"])
        for who in ("alex", agent("scout")):
            refusal = room.refused(who, "go", "agent:archivist", dispatch="future_turn")
            assert (refusal.status, refusal.code, refusal.field) == (422, "source", "audience")
        assert "archivist" not in listed(room)
        assert "archivist" not in listed(room, agent("scout"))
        assert not Delivery.objects.filter(seat__handle="archivist").exists()

    @pytest.mark.parametrize("granted", [None, ["notes"], ["notes", "wiki"]])
    def test_one_that_is_granted_is_no_hindrance(self, room, granted):
        change(sources=["notes"])
        grant(room, granted)
        assert "future_turn" in listed(room)["archivist"]
        ask(room)
        answered(room)

    def test_one_without_any_works_where_none_is_granted(self, room):
        grant(room, [])
        for sources in (None, []):
            change(sources=sources)
            ask(room)
            answered(room)

    def test_the_active_agent_is_kept_to_them_too(self, room):
        change_agent(person("alex"), "mirror", sources=["notes"])
        grant(room, [])
        assert room.refused("sam", "hello", "active_agent").code == "source"
        assert not any(one.active for one in targets(person("sam"), room.session).agents)

    def test_what_waits_is_refused_once_they_are_taken_away_and_what_was_let_through_goes_on(self, room):
        change(sources=["notes"])
        first, second = ask(room, text="first"), ask(room, text="second")
        grant(room, [])
        answered(room)
        assert room.delivery(first, "archivist").state == "responded"
        late = room.delivery(second, "archivist")
        assert (late.state, late.reason) == ("rejected", "source")

    def test_the_next_post_goes_by_it_whatever_was_remembered(self, room):
        ask(room)
        change(sources=["notes"])
        ask(room)
        grant(room, [])
        assert room.refused("sam", "go", "agent:archivist", dispatch="future_turn").code == "source"
        grant(room, None)
        ask(room)

    @pytest.mark.parametrize("names", [["nothing"], "notes", [5], ["notes", "x" * 200]])
    def test_a_name_of_no_source_is_not_kept(self, room, names):
        for deed in (lambda: change(sources=names), lambda: grant(room, names)):
            with pytest.raises(ValidationError) as refused:
                deed()
            assert list(refused.value.message_dict) == ["sources"]
        assert (row().sources, Session.objects.get(id=room.session.id).sources) == (None, None)

    def test_one_that_runs_elsewhere_gets_neither_sources_nor_placement(self, room):
        for field, value in (("sources", ["notes"]), ("placement", "gpu")):
            with pytest.raises(ValidationError) as refused:
                change_agent(person("alex"), "scout", **{field: value})
            assert list(refused.value.message_dict) == [field]

    @pytest.mark.parametrize("handle", ["sam", "vic", "gus"])
    def test_who_may_not_manage_the_session_changes_neither_namespace_nor_sources(self, room, handle):
        for changes in ({"sources": []}, {"namespace": "lab"}):
            with pytest.raises(Forbidden):
                configure(person(handle), room.session, **changes)
        session = Session.objects.get(id=room.session.id)
        assert (session.sources, session.namespace) == (None, "")

    def test_it_is_on_record(self, room):
        grant(room, ["notes"])
        configure(person("mo"), room.session, namespace="lab")
        details = [one.detail for one in AuditEntry.objects.filter(verb="session").order_by("at")]
        assert [one["sources"] for one in details if "sources" in one] == [[None, ["notes"]]]
        assert [one["namespace"] for one in details if "namespace" in one] == [["", "lab"]]


class TestNamespaces:
    def test_a_session_is_labelled_and_agents_are_kept_to_it_at_once(self, room):
        change(namespaces=["lab"])
        assert room.refused("sam", "go", "agent:archivist", dispatch="future_turn").code == "namespace"
        configure(person("mo"), room.session, namespace="lab")
        ask(room)
        waits = ask(room, text="second")
        configure(person("mo"), room.session, namespace="")
        answered(room)
        assert room.delivery(waits, "archivist").reason == "namespace"

    @pytest.mark.parametrize("label", ["two words", "x" * 33, None, 5])
    def test_a_label_that_cannot_be_is_refused(self, room, label):
        with pytest.raises(ValidationError) as refused:
            configure(person("mo"), room.session, namespace=label)
        assert list(refused.value.message_dict) == ["namespace"]


class TestPlacement:
    def test_it_is_copied_to_every_seat_and_wakes_go_to_its_queue(
        self, room, monkeypatch, django_capture_on_commit_callbacks
    ):
        lines: list[Any] = []
        monkeypatch.setattr(wake, "_transport", lines.append)
        change(placement="gpu")
        assert (room.seat("archivist").placement, room.seat("mirror").placement) == ("gpu", "")
        with django_capture_on_commit_callbacks(execute=True):
            ask(room)
            room.say("sam", "and you", "active_agent")
            sweep()
        woken = {(one.seat, one.placement) for one in lines if isinstance(one, wake.Wake)}
        assert woken == {(room.seat("archivist").id, "gpu"), (room.seat("mirror").id, "")}

    def test_where_nobody_serves_it_the_agent_is_not_asked_and_not_listed(self, room, fleet):
        change(placement="gpu")
        fleet("")
        for who in ("alex", agent("scout")):
            refusal = room.refused(who, "go", "agent:archivist", dispatch="future_turn")
            assert (refusal.status, refusal.code, refusal.field) == (422, "placement", "audience")
            assert "archivist" not in listed(room, who)
        assert room.refused("sam", "go", "agent:archivist", dispatch="consult").code == "placement"
        assert room.refused("sam", "go", "agent:archivist", dispatch="child_session").code == "placement"
        assert not Delivery.objects.filter(seat__handle="archivist").exists()

    def test_where_it_is_served_it_is(self, room, fleet):
        change(placement="gpu")
        fleet("", "gpu")
        assert "future_turn" in listed(room)["archivist"]
        ask(room)

    def test_where_nobody_can_tell_nothing_is_refused(self, room):
        change(placement="gpu")
        ask(room)
        served.install(lambda: None)
        ask(room)

    def test_an_agent_without_a_placement_waits_for_whoever_comes(self, room, fleet):
        fleet("gpu")
        ask(room)
        fleet()
        ask(room)

    def test_what_waits_is_refused_once_nobody_serves_it(self, room, fleet):
        change(placement="gpu")
        fleet("gpu")
        first, second = ask(room, text="first"), ask(room, text="second")
        fleet("")
        answered(room)
        assert room.delivery(first, "archivist").state == "responded"
        assert room.delivery(second, "archivist").reason == "placement"

    @pytest.mark.parametrize("name", ["two words", "x" * 33, "gpu|"])
    def test_a_name_that_cannot_be_is_refused(self, room, name):
        with pytest.raises(ValidationError) as refused:
            change(placement=name)
        assert list(refused.value.message_dict) == ["placement"]


class TestTools:
    @pytest.mark.parametrize(
        "name", ["recall", "child_session", "notes__read", "notes__*", "notes__Read-All", "other__x"]
    )
    def test_names_of_the_house_and_of_sources_are_taken(self, room, name):
        change(tools={name: "ask"})
        assert room.seat("archivist").policy["tools"] == {name: "ask"}

    @pytest.mark.parametrize(
        "name",
        ["*", "re*", "notes__", "__read", "Notes__read", "notes__re ad", "notes__re*", "x" * 65, f"notes__{'x' * 58}"],
    )
    def test_no_other_name_is(self, room, name):
        with pytest.raises(ValidationError) as refused:
            change(tools={name: "allowed"})
        assert list(refused.value.message_dict) == ["tools"]

    def test_an_agent_that_runs_elsewhere_asks_as_its_tools_permit(self, room):
        scout = agent("scout")
        assert "future_turn" in listed(room, scout)["archivist"]
        change_agent(person("alex"), "scout", tools={"send": "denied", "child_session": "allowed"})
        refusal = room.refused(scout, "go", "agent:archivist", dispatch="future_turn")
        assert (refusal.status, refusal.code, refusal.field) == (422, "tools", "dispatch")
        assert listed(room, scout)["archivist"] == ["child_session"]
        assert "future_turn" in listed(room, "sam")["archivist"], "people are not kept to an agent's tools"
        room.say(scout, "go", "agent:archivist", dispatch="child_session")
        mail = room.say(agent("mirror"), "to you", "agent:scout", dispatch="future_turn")
        take(scout, room.session, 10)
        assert room.say(scout, "an answer is no question", None, reply_to=mail.id).audience == "agent:mirror"

    def test_what_it_asked_is_refused_once_its_policy_forbids_it(self, room):
        first, second = ask(room, agent("scout"), "first"), ask(room, agent("scout"), "second")
        third = ask(room, "sam", "third")
        change_agent(person("alex"), "scout", tools={})
        answered(room)
        assert room.delivery(first, "archivist").state == "responded"
        assert room.delivery(second, "archivist").reason == "tools"
        assert room.delivery(third, "archivist").state == "queued"
        assert room.delivery(third, "archivist").cleared_at is not None


class TestToolsWithinATurn:
    """The house does not take the word of the agents' process for what it offers."""

    CALL = Call("call-1", "send", {"agent": "archivist", "text": "for later"})

    def asks(self, room: Room, monkeypatch: Any, *, offered: Any, kept: Any, who: str = "sam") -> ToolCall:
        """The mirror calls a tool in a turn, by a policy of which its process believes one thing and the house another."""

        def bits(request: Request) -> Iterator[str | Call]:
            yield self.CALL if request.step == 1 else "done"

        put_in(monkeypatch, Fake(bits))
        Seat.objects.filter(session=room.session.id, handle="mirror").update(
            provider="fake", policy={"tools": offered}, owner="alex"
        )
        room.say(who, "do it", "active_agent")
        held = claim(room.seat("mirror").id)
        assert held is not None
        turn.run(held, lambda: False)
        Seat.objects.filter(session=room.session.id, handle="mirror").update(policy={"tools": kept})
        collect(room.session.id)
        return ToolCall.objects.get(turn=held.turn)

    @pytest.mark.parametrize("kept", [{}, None, {"send": "denied"}, {"recall": "allowed"}])
    def test_a_call_that_the_policy_does_not_offer_is_refused(self, room, monkeypatch, kept):
        call = self.asks(room, monkeypatch, offered={"send": "allowed"}, kept=kept)
        assert (call.state, call.reason, call.message) == ("failed", "tools", None)
        assert not Delivery.objects.filter(seat__handle="archivist").exists()

    def test_one_that_it_offers_is_done(self, room, monkeypatch):
        call = self.asks(room, monkeypatch, offered={"send": "allowed"}, kept={"send": "allowed"})
        assert (call.state, call.reason) == ("done", "")
        assert Delivery.objects.get(seat__handle="archivist").text == "for later"

    @pytest.mark.parametrize(("who", "state"), [("alex", "done"), ("sam", "failed")])
    def test_what_is_for_the_owner_s_turns_is_done_in_those_alone(self, room, monkeypatch, who, state):
        call = self.asks(room, monkeypatch, offered={"send": "allowed"}, kept={"send": "owner"}, who=who)
        assert call.state == state

    def test_what_it_asked_waits_and_is_refused_once_the_tool_is_taken_away(self, room, monkeypatch):
        ask(room, text="before it")
        call = self.asks(room, monkeypatch, offered={"send": "allowed"}, kept={"send": "allowed"})
        assert Delivery.objects.get(message=call.message).state == "queued"
        Seat.objects.filter(session=room.session.id, handle="mirror").update(policy={"tools": None})
        answered(room)
        assert Delivery.objects.get(message=call.message).reason == "tools"

    def test_what_a_person_wished_for_needs_no_tool(self, room, monkeypatch):
        put_in(monkeypatch, Fake(lambda _: iter(["fine"])))
        Seat.objects.filter(session=room.session.id, handle="mirror").update(provider="fake", policy={"tools": {}})
        room.say("sam", "what do you know?", "agent:archivist", dispatch="consult")
        held = claim(room.seat("mirror").id)
        assert held is not None
        turn.run(held, lambda: False)
        collect(room.session.id)
        call = ToolCall.objects.get(turn=held.turn)
        assert (call.state, call.reason) == ("waiting", "")
        assert Delivery.objects.get(message=call.message).seat.handle == "archivist"
        assert Turn.objects.get(id=held.turn).state == "running"


def test_a_refusal_that_nobody_stored_is_one(room):
    """The control: what these tests post is taken where nothing stands in its way."""
    assert not isinstance(
        post_one(Draft(person("sam"), room.session.id, "x", "agent:archivist", "future_turn")), Refusal
    )
