"""Specification B's point 5: an agent that is named requires an explicit permitted dispatch mode, and nothing bypasses
its placement, tools, budget or nesting policy. Each refusal is tried by a person, by an agent from elsewhere and by a
hosted one in its turn, over the network alone, with what is permitted beside it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from messaging.domain.dispatch import MAX_CHILDREN, Mode
from tests.journeys.client import Member, until
from tests.models.plays import Calls, Follows, Play, Say
from tests.models.server import ModelServer

pytestmark = pytest.mark.journey
ASKED = ("consult", "advisor", "child_session", "send")


def behave(body: Any) -> Play:
    """Calls what the last question wishes for, and says what came back."""
    last = body["messages"][-1]
    if last["role"] == "tool":
        return Say((f"came back: {last['content']}",))
    words = str(last["content"]).partition("!call ")[2].split()
    if len(words) == 2 and body.get("tools"):
        return Calls(((words[0], json.dumps({"agent": words[1], "text": "do it"})),))
    return Say(("nothing to do",))


@pytest.fixture(scope="module")
def model():
    with ModelServer(Follows(behave)) as server:
        yield server


class Place:
    """A session of alex's: a hosted agent with a model is active, `named` stands beside it, scout is from elsewhere."""

    def __init__(self, member: Callable[..., Member], slug: str, model: ModelServer) -> None:
        self.alex, self.scout = member("alex", slug), member("scout", slug)
        self.slug, self.model = slug, model
        self.asker = self.add({"tools": dict.fromkeys(ASKED, "allowed")}, model=True)
        self.alex.do("PATCH", f"/sessions/{slug}", {"active_agent": self.asker})
        assert self.alex.http.post(f"/sessions/{slug}/members", json={"handle": "scout"}).status_code == 201

    def add(self, more: dict[str, Any], *, model: bool = False) -> str:
        handle = f"agent-{uuid4().hex[:8]}"
        body: dict[str, Any] = {"handle": handle, "name": "Agent", "kind": "hosted", "provider": "mirror"}
        if model:
            settings = {"model": "test", "base_url": self.model.openai_url}
            body |= {"provider": "openai", "settings": settings}
        assert self.alex.http.post("/agents", json=body | more).status_code == 201, more
        assert self.alex.http.post(f"/sessions/{self.slug}/members", json={"handle": handle}).status_code == 201
        return handle

    def refused(self, by: Member, named: str, mode: str | None) -> tuple[int, str]:
        """What a post is answered with; it must have kept nothing."""
        before = len(self.alex.messages())
        answer = by.post("do it", f"agent:{named}", **({"dispatch": mode} if mode else {}))
        assert len(self.alex.messages()) == before
        return answer.status_code, answer.json()["code"]

    def offered(self, by: Member, named: str) -> list[str]:
        agents = by.get(f"/sessions/{self.slug}/targets")["agents"]
        return next((one["modes"] for one in agents if one["id"] == named), [])

    def tool(self, name: str, named: str) -> str:
        """What the hosted agent's tool gives back when its turn calls it."""
        asked = self.alex.say(f"!call {name} {named}", "active_agent")
        text: str = self.alex.answer_to(asked)["text"]
        return text


@pytest.fixture
def place(member, model) -> Place:
    slug = f"room-{uuid4().hex[:8]}"
    assert member("alex").http.post("/sessions", json={"title": "A room", "slug": slug}).status_code == 201
    return Place(member, slug, model)


def test_5_a_mode_is_always_said(place):
    """No mode, a mode that is none, and a mode where nobody is named: refused, and nothing is inferred from the text."""
    named = place.add({})
    for by in (place.alex, place.scout):
        assert place.refused(by, named, None)[0] == 422
        assert place.refused(by, named, "whatever")[0] == 422
    before = len(place.alex.messages())
    assert place.alex.post("do it", "active_agent", dispatch="consult").status_code == 422
    assert len(place.alex.messages()) == before
    said = place.alex.say(f"@{named} consult: do it", "participants")
    assert (said["deliveries"], said["dispatch"]) == ([], "")
    assert set(place.offered(place.alex, named)) == set(Mode)


@pytest.mark.parametrize("mode", list(Mode))
def test_5_a_mode_that_the_agent_does_not_offer_is_refused_to_everybody(place, mode):
    """Each mode in turn is the one that the agent's policy leaves out; the others it takes."""
    others = [str(one) for one in Mode if one is not mode]
    named = place.add({"modes": others})
    assert place.refused(place.alex, named, mode) == (422, "no_mode")
    assert place.refused(place.scout, named, mode) == (422, "no_mode")
    assert sorted(place.offered(place.alex, named)) == sorted(others)
    tool = "send" if mode is Mode.FUTURE_TURN else str(mode)
    assert "cannot be asked in this way" in place.tool(tool, named)


def test_5_a_connected_agent_takes_mail_alone(place):
    """What runs elsewhere cannot be consulted, advise or work in a side session; mail it takes."""
    for mode in ("consult", "advisor", "child_session"):
        assert place.refused(place.alex, "scout", mode) == (422, "no_mode")
    assert "cannot be asked in this way" in place.tool("consult", "scout")
    assert place.offered(place.alex, "scout") == ["future_turn"]
    assert place.alex.say("mail", "agent:scout", dispatch="future_turn")["deliveries"]


@pytest.mark.parametrize(("more", "code", "words"), [
    ({"namespaces": ["lab"]}, "namespace", "does not work in sessions of this kind"),
])  # fmt: skip
def test_5_what_the_agent_is_kept_to_holds_for_everybody(place, more, code, words):
    """An agent that does not work here is called by nobody, is not listed, and is refused as the active one too."""
    named = place.add(more)
    assert place.refused(place.alex, named, "future_turn") == (422, code)
    assert place.refused(place.scout, named, "future_turn") == (422, code)
    assert words in place.tool("send", named)
    assert place.offered(place.alex, named) == place.offered(place.scout, named) == []
    place.alex.do("PATCH", f"/sessions/{place.slug}", {"active_agent": named})
    answer = place.alex.post("do it", "active_agent")
    assert (answer.status_code, answer.json()["code"]) == (422, code)


def test_5_a_source_that_the_session_does_not_grant_holds_for_everybody(place, shelf):
    """An agent that gets its tools from sources, none of which is granted here, is called by nobody until one is."""
    named = place.add({"sources": [shelf]})
    assert place.offered(place.alex, named)
    place.alex.do("PATCH", f"/sessions/{place.slug}", {"sources": []})
    for by in (place.alex, place.scout):
        assert place.refused(by, named, "future_turn") == (422, "source")
    assert "this session does not grant" in place.tool("send", named)
    assert place.offered(place.alex, named) == []
    assert place.alex.http.patch(f"/sessions/{place.slug}", json={"sources": ["unheard-of"]}).status_code == 422
    place.alex.do("PATCH", f"/sessions/{place.slug}", {"sources": [shelf]})
    assert place.alex.say("do it", f"agent:{named}", dispatch="future_turn")["deliveries"]


@pytest.fixture
def shelf(installation) -> str:
    """A folder that somebody registered."""
    name = f"shelf{uuid4().hex[:8]}"
    folder = installation.home.parent / name
    folder.mkdir()
    (folder / "page.txt").write_text("a page")
    code = "from messaging.actions.register_source import register_source as r\n"
    code += f"r(None, '{name}', transport='folder', settings={{'path': '{folder}'}})"
    installation.manage("shell", "--verbosity", "0", "-c", code)
    return name


def test_5_a_placement_that_nobody_serves_holds_for_everybody(place):
    """In a fleet an agent is called where a process serves its queue; one process alone serves all there are."""
    named = place.add({"placement": f"gpu-{uuid4().hex[:8]}"})
    if not os.environ.get("TEST_REDIS_URL"):
        assert place.alex.answer_to(place.alex.say("do it", f"agent:{named}", dispatch="future_turn"))
        return
    for by in (place.alex, place.scout):
        assert place.refused(by, named, "future_turn") == (422, "placement")
    assert place.offered(place.alex, named) == []
    place.alex.do("PATCH", f"/agents/{named}", {"placement": ""})
    assert place.alex.answer_to(place.alex.say("do it", f"agent:{named}", dispatch="future_turn"))


def test_5_who_may_not_call_agents_calls_none(place, member):
    """A viewer's role does not include it; in this session an agent's does not either."""
    assert (
        place.alex.http.post(f"/sessions/{place.slug}/members", json={"handle": "vic", "role": "viewer"}).status_code
        == 201
    )
    named, vic = place.add({}), member("vic", place.slug)
    for mode in Mode:
        assert place.refused(vic, named, mode)[0] == 403
    assert vic.get(f"/sessions/{place.slug}/targets")["agents"] == []
    place.alex.do("PATCH", f"/sessions/{place.slug}", {"roles": {"agent": ["post_human", "post_agent"]}})
    assert place.refused(place.scout, named, "future_turn")[0] == 403
    assert "came back" in place.tool("send", named)
    assert not [one for one in place.alex.messages() if one["text"] == "do it"]


def test_5_a_tool_that_policy_does_not_offer_reaches_nobody(place):
    """A hosted agent without the tool, or with the tool denied, calls nobody, whatever its model writes."""
    named = place.add({})
    for tools in (None, {"send": "denied", "consult": "denied"}, {"recall": "allowed"}):
        place.alex.do("PATCH", f"/agents/{place.asker}", {"tools": tools})
        asked = place.alex.say(f"!call send {named}", "active_agent")
        answer = place.alex.answer_to(asked)
        assert "Sent" not in answer["text"]
    assert not [one for one in place.alex.messages() if one["text"] == "do it"]
    place.alex.do("PATCH", f"/agents/{place.asker}", {"tools": {"send": "allowed"}})
    assert f"Sent; {named} has it." in place.tool("send", named)
    assert [one for one in place.alex.messages() if one["text"] == "do it"]


def test_5_a_budget_is_met_in_every_mode(place, member):
    """What its owner may spend is used up: nobody calls it in any mode, and the refusal says whose and until when."""
    named = place.add({"turns_a_day": 1})
    first = place.alex.say("one", f"agent:{named}", dispatch="future_turn")
    place.alex.answer_to(first)
    for by in (place.alex, place.scout):
        assert place.refused(by, named, "future_turn") == (429, "over_budget")
    for mode in ("consult", "child_session", "advisor"):
        assert place.refused(place.alex, named, mode) == (429, "over_budget")
    assert "budget" in place.tool("send", named)


def test_5_side_sessions_lie_two_deep(place, member):
    """The third level is refused to a person and to the agent there; nothing nested can be asked for there either."""
    where = place.alex
    for _ in range(2):
        opened = where.say("deeper", f"agent:{place.asker}", dispatch="child_session")
        where = member("alex", where.get(f"/sessions/{opened['child']}")["slug"])
    for mode in ("child_session", "consult", "advisor"):
        answer = where.post("deeper still", f"agent:{place.asker}", dispatch=mode)
        assert answer.status_code == 422
        assert answer.json()["code"] in ("depth", "no_mode")
    assert where.post("deeper still", f"agent:{place.asker}", dispatch="child_session").json()["code"] == "depth"
    named = place.add({})
    assert place.alex.http.post(f"/sessions/{where.session}/members", json={"handle": named}).status_code == 201
    for tool in ("child_session", "consult", "advisor"):
        asked = where.say(f"!call {tool} {named}", "active_agent")
        assert "nested too deep" in where.answer_to(asked)["text"]


def test_5_a_session_has_fifty_side_sessions(place):
    """One more is refused to a person and to the agent; a turn of its own is still to be had."""
    named = place.add({})
    for n in range(MAX_CHILDREN):
        place.alex.say(f"task {n}", f"agent:{named}", dispatch="child_session")
    assert place.refused(place.alex, named, "child_session") == (422, "children")
    assert "too many side sessions" in place.tool("child_session", named)
    assert place.offered(place.alex, named) == ["consult", "future_turn", "advisor"]


def test_5_agents_pass_on_to_each_other_eight_times_and_no_more(place):
    """Two that send each other on and on end by themselves, and it takes a person's word to begin again."""
    chain: list[str] = []

    def told() -> list[dict[str, Any]]:
        return [one for one in place.alex.messages() if one["author"]["kind"] == "agent"]

    def pass_on(body: Any) -> Play:
        last = body["messages"][-1]
        if last["role"] == "tool":
            chain.append(str(last["content"]))
            return Say(("passed on",))
        if str(last["content"]).endswith("passed on"):
            return Say(("good",))
        other = first if f"handle: {second}" in json.dumps(body["messages"][0]) else second
        return Calls((("send", json.dumps({"agent": other, "text": "your turn"})),))

    with ModelServer(Follows(pass_on)) as server:
        settings = {"model": "test", "base_url": server.openai_url}
        more = {"provider": "openai", "settings": settings, "tools": {"send": "allowed"}}
        first, second = place.add(more), place.add(more)
        place.alex.say("begin", f"agent:{first}", dispatch="future_turn")
        until(lambda: any("without a person" in one for one in chain), "an end of the chain", 60)
    assert len([one for one in told() if one["text"] == "your turn"]) == 8


def test_5_an_agent_that_is_out_of_use_is_called_by_nobody(place):
    """Put out of the session it is unknown here, to people and to agents alike."""
    named = place.add({})
    assert place.alex.http.delete(f"/sessions/{place.slug}/members/{named}").status_code == 204
    for by in (place.alex, place.scout):
        assert place.refused(by, named, "future_turn") == (422, "no_such_target")
    assert "Sent" not in place.tool("send", named)


def test_an_agent_from_elsewhere_says_one_thing_after_the_other(place):
    """Its token is known after the first: what comes then comes by the short way in."""
    for n in range(4):
        said = place.scout.post(f"word {n}", "everyone")
        assert said.status_code == 201, said.text
