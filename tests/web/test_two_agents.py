"""One agent that asks another: the form, and the cards that come of it, as whoever is there reads them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from collab.web.render import message_html
from messaging.actions.collect import collect
from messaging.actions.delete import delete
from messaging.actions.enrol import add_agent
from messaging.actions.join import join
from messaging.agents import turn
from messaging.domain.capability import Role
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Seat
from messaging.roster.models import Agent, Person, Session
from messaging.transcript import read
from messaging.transcript.models import Message
from tests.cast import person
from tests.web.scene import PAGE, source, words
from tests.web.test_called import card, say, ways

CANARY = "CANARY-77d1"


@pytest.fixture(autouse=True)
def archivist(scene) -> None:
    owner = Person.objects.get(handle__spelled="alex")
    made = add_agent("archivist", kind="hosted", name="Archivist", provider="mirror", owner=owner)
    join(scene.session, made, Role.AGENT)
    Seat.objects.filter(handle="mirror").update(policy={"tools": {"consult": "allowed", "advisor": "allowed"}})


def runs(scene: Any, handle: str) -> None:
    held = claim(scene.seat(handle).id)
    assert held is not None, f"{handle} has nothing to do"
    turn.run(held, lambda: False)
    collect(scene.session.id)


def asked(scene: Any, dispatch: str, text: str = "what do we know?") -> tuple[Message, Message, Message]:
    """A person's wish, what the active agent then asks, and what it is answered."""
    wish = scene.say("sam", text, "agent:archivist", dispatch=dispatch)
    runs(scene, "mirror")
    runs(scene, "archivist")
    question = Message.objects.get(agent__handle__spelled="mirror")
    return Message.objects.get(id=wish.id), question, Message.objects.get(answers=question)


class TestWhatIsOffered:
    def test_one_by_name_may_be_asked_by_the_active_agent_too(self, scene, browser_of):
        assert ways(browser_of("sam").get(PAGE))["agent:archivist"] == [
            "agent:archivist future_turn",
            "agent:archivist child_session",
            "agent:archivist consult",
            "agent:archivist advisor",
        ]

    @pytest.mark.parametrize("handle", ["vic", "gus"])
    def test_who_may_not_call_by_name_is_offered_neither(self, scene, browser_of, handle):
        page = browser_of(handle).get(PAGE)
        assert ways(page) == {}
        assert "Quick advice" not in words(page)

    def test_what_the_policy_of_the_named_one_leaves_is_offered_and_nothing_else(self, scene, browser_of):
        Seat.objects.filter(handle="archivist").update(policy={"modes": ["consult"]})
        page = source(browser_of("sam").get(PAGE))
        assert "agent:archivist consult" in page
        assert "agent:archivist advisor" not in page

    @pytest.mark.parametrize("policy", [None, {"tools": {"consult": "ask", "advisor": "denied"}}])
    def test_a_persons_wish_takes_no_tool_of_the_active_agents_own(self, scene, browser_of, policy):
        Seat.objects.filter(handle="mirror").update(policy=policy)
        found = ways(browser_of("sam").get(PAGE))["agent:archivist"]
        assert {"agent:archivist consult", "agent:archivist advisor"} <= set(found)

    def test_one_that_takes_nothing_here_asks_nobody(self, scene, browser_of):
        Seat.objects.filter(handle="mirror").update(policy={"namespaces": ["lab"]})
        page = source(browser_of("sam").get(PAGE))
        assert "agent:archivist future_turn" in page
        assert "agent:archivist consult" not in page

    @pytest.mark.parametrize("active", ["scout", None])
    def test_where_no_hosted_one_is_active_nobody_asks(self, scene, browser_of, active):
        found = Agent.objects.filter(handle__spelled=active).first()
        Session.objects.filter(id=scene.session.id).update(active_agent=found)
        assert "agent:archivist consult" not in source(browser_of("sam").get(PAGE))


@pytest.mark.parametrize("mode", ["consult", "advisor"])
class TestTheForm:
    def test_the_active_agent_is_made_to_ask(self, scene, browser_of, mode):
        way = {"audience": "agent:archivist", "way:agent:archivist": f"agent:archivist {mode}"}
        assert say(browser_of("sam"), **way).status_code == 302
        message = Message.objects.get()
        assert (message.dispatch, message.targets) == (mode, ["archivist"])
        assert scene.delivery(read.message(person("sam"), message.id), "mirror").consults == "archivist"

    def test_who_may_not_is_refused(self, scene, browser_of, mode):
        way = {"audience": "agent:archivist", "way:agent:archivist": f"agent:archivist {mode}"}
        assert say(browser_of("vic"), **way).status_code == 403
        assert not Message.objects.exists()


class TestTheCards:
    @pytest.mark.parametrize(
        ("mode", "icon", "by_person", "by_agent"),
        [
            ("consult", "ears-two", "Mirror asks Archivist", "Asks Archivist"),
            ("advisor", "ear-small", "Quick advice to Mirror by Archivist", "Asks Archivist for quick advice"),
        ],
    )
    def test_each_says_who_asks_whom(self, scene, browser_of, mode, icon, by_person, by_agent):
        found = asked(scene, mode)
        page = source(browser_of("vic").get(PAGE))
        for message, title in zip(found, (by_person, by_agent, "To Mirror"), strict=True):
            shown = card(page, str(message.id))
            assert f'href="#sign-{icon}"' in shown
            assert f'<span class="words">{title}</span></p><div class="text">' in shown

    def test_question_and_answer_lead_to_each_other(self, scene, browser_of):
        _, question, back = asked(scene, "consult")
        page = source(browser_of("vic").get(PAGE))
        assert f'class="to-question" href="#m-{question.id}">See the question</a>' in card(page, str(back.id))
        there = re.search(r'class="to-answer" href="#([^"]+)"', card(page, str(question.id)))
        assert there
        assert f'id="{there[1]}"' in card(page, str(back.id))

    def test_what_the_agent_asks_alone_is_marked_as_waited_for(self, scene, browser_of):
        _, question, _ = asked(scene, "consult")
        page = source(browser_of("vic").get(PAGE))
        marked = re.findall(r'data-id="([^"]+)"[^>]* data-asks', page)
        assert marked == [str(question.id)]

    def test_the_answer_that_follows_is_no_card(self, scene, browser_of):
        asked(scene, "consult")
        runs(scene, "mirror")
        last = Message.objects.order_by("seq").last()
        assert last is not None
        assert (last.audience, 'class="card"' in card(source(browser_of("vic").get(PAGE)), str(last.id))) == (
            "everyone",
            False,
        )

    def test_what_was_just_said_looks_as_it_does_when_it_is_read(self, scene):
        said = scene.say("sam", "go", "agent:archivist", dispatch="consult")
        read_again = read.message(person("sam"), said.id)
        assert said.target_names == read_again.target_names == ["Archivist"]
        assert message_html(said) == message_html(read_again)

    def test_they_cost_no_query_each(self, scene, browser_of, django_assert_max_num_queries):
        vic = browser_of("vic")
        scene.say("sam", "once", "agent:archivist", dispatch="consult")
        vic.get(PAGE)
        with django_assert_max_num_queries(40) as one:
            vic.get(PAGE)
        for n in range(5):
            scene.say("sam", f"again {n}", "agent:archivist", dispatch="consult")
        with django_assert_max_num_queries(len(one)):
            vic.get(PAGE)

    def test_once_deleted_nothing_of_them_stands_there(self, scene, browser_of):
        wish, question, back = asked(scene, "consult", CANARY)
        assert CANARY in words(browser_of("vic").get(PAGE)), "the control"
        for message in (wish, question, back):
            delete(person("mo"), message.id, "not this")
        page = browser_of("vic").get(PAGE)
        assert CANARY not in words(page)
        assert 'class="card"' not in source(page)
