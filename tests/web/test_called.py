"""Agents called by name from the page, without scripts: what is offered, what is posted, and the card that comes of it."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from collab.web.render import message_html
from messaging.actions.enrol import add_agent
from messaging.actions.join import join
from messaging.actions.leave import leave
from messaging.domain.capability import Role
from messaging.domain.dispatch import Mode
from messaging.mailbox.models import Delivery, Seat
from messaging.roster.models import Agent, Membership, Session
from messaging.transcript import read
from messaging.transcript.models import Message
from tests.cast import agent, person
from tests.web.scene import PAGE, chosen, offered, source, words

SIDE = {"audience": "agent:archivist", "way:agent:archivist": "agent:archivist child_session"}


@pytest.fixture(autouse=True)
def archivist(scene) -> Agent:
    """A second hosted agent in the room."""
    made = add_agent("archivist", kind="hosted", name="Archivist", provider="mirror", owner=_person("alex"))
    join(scene.session, made, Role.AGENT)
    return made


def _person(handle: str) -> Any:
    from messaging.roster.models import Person

    return Person.objects.get(handle__spelled=handle)


def ways(answer: Any) -> dict[str, list[str]]:
    """The ways that a page offers, by choice."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(
        r'<input type="radio" id="way-[^"]*" name="way:([^"]*)" value="([^"]*)"', source(answer)
    ):
        found.setdefault(name, []).append(value)
    return found


def narrowed(handle: str, **policy: Any) -> None:
    Seat.objects.filter(handle=handle).update(policy=policy)


def say(browser: Any, text: str = "look into this", **given: str) -> Any:
    return browser.post(f"{PAGE}post", {"text": text, "client_key": "key", **given})


def card(page: str, message: str) -> str:
    start = page.index(f'id="m-{message}"')
    return page[start : page.index("</article>", start)]


def link(page: str, message: Message) -> str:
    """The card's link as it stands there."""
    return re.search(r'<a class="button"[^>]*data-side[^>]*>', card(page, str(message.id)))[0]  # type: ignore[index]


class TestWhatIsOffered:
    def test_each_agent_in_the_ways_that_its_kind_can_be_called(self, scene, browser_of):
        page = browser_of("sam").get(PAGE)
        found = ways(page)
        assert found.keys() == {"active_agent", "agent:archivist"}
        assert found["active_agent"] == ["active_agent", "agent:mirror child_session"]
        assert set(found["agent:archivist"]) == {f"agent:archivist {mode}" for mode in Mode}
        assert "agent:scout" in offered(page), "which takes mail alone"

    @pytest.mark.parametrize("handle", ["vic", "gus"])
    def test_who_may_not_call_by_name_is_offered_none(self, scene, browser_of, handle):
        page = browser_of(handle).get(PAGE)
        assert ways(page) == {}
        assert not any(value.startswith("agent:") for value in offered(page))
        assert "Side session" not in words(page)

    @pytest.mark.parametrize(
        ("policy", "expected"),
        [
            ({"modes": ["future_turn"]}, "agent:archivist future_turn"),
            ({"modes": ["child_session"]}, "agent:archivist child_session"),
        ],
    )
    def test_where_its_policy_leaves_one_mode_that_is_said_and_nothing_else_to_choose(
        self, scene, browser_of, policy, expected
    ):
        narrowed("archivist", **policy)
        page = browser_of("sam").get(PAGE)
        assert "agent:archivist" not in ways(page)
        assert f'<input type="hidden" name="way:agent:archivist" value="{expected}">' in source(page)

    @pytest.mark.parametrize("policy", [{"modes": []}, {"namespaces": ["lab"]}])
    def test_an_agent_that_its_policy_leaves_nothing_is_not_offered(self, scene, browser_of, policy):
        narrowed("archivist", **policy)
        page = browser_of("alex").get(PAGE)
        assert "agent:archivist" not in offered(page)
        assert "agent:archivist" not in source(page)

    def test_an_active_agent_that_takes_nothing_here_is_said_to(self, scene, browser_of):
        narrowed("mirror", namespaces=["lab"])
        page = browser_of("sam").get(PAGE)
        assert "active_agent" not in offered(page)
        assert "Mirror takes no questions here now." in words(page)
        assert "takes no questions" not in words(browser_of("vic").get(PAGE))

    def test_what_was_said_before_can_be_brought_to_it_and_opens_no_side_session(self, scene, browser_of):
        message = scene.say("sam", "among people")
        page = source(browser_of("sam").get(f"{PAGE}m/{message.id}/hearers"))
        assert 'value="agent:archivist"' in page
        assert "child_session" not in page
        narrowed("archivist", modes=["child_session"])
        assert 'value="agent:archivist"' not in source(browser_of("sam").get(f"{PAGE}m/{message.id}/hearers"))


class TestTheForm:
    def test_it_opens_a_side_session(self, scene, browser_of):
        answer = say(browser_of("sam"), **SIDE)
        assert answer.status_code == 302
        message = Message.objects.get(session=scene.session)
        assert (message.dispatch, message.targets) == ("child_session", ["archivist"])
        assert Session.objects.get(id=message.child).parent_id == scene.session.id

    def test_it_opens_one_with_the_active_agent(self, scene, browser_of):
        say(browser_of("sam"), audience="active_agent", **{"way:active_agent": "agent:mirror child_session"})
        message = Message.objects.get(session=scene.session)
        assert (message.audience, message.dispatch) == ("agent", "child_session")
        assert not Delivery.objects.filter(seat__session=scene.session.id).exists()

    def test_a_way_of_another_choice_does_nothing(self, scene, browser_of):
        say(browser_of("sam"), audience="active_agent", **{"way:agent:archivist": SIDE["way:agent:archivist"]})
        assert Message.objects.get(session=scene.session).audience == "active_agent"

    def test_by_name_it_asks_for_a_turn(self, scene, browser_of):
        for given in ({"way:agent:archivist": "agent:archivist future_turn"}, {"dispatch": "future_turn"}, {}):
            say(browser_of("sam"), audience="agent:archivist", client_key=str(given), **given)
        assert set(Message.objects.values_list("dispatch", flat=True)) == {"future_turn"}
        assert "To Archivist" in words(browser_of("vic").get(PAGE))

    @pytest.mark.parametrize(
        ("policy", "sentence"),
        [
            ({"modes": ["future_turn"]}, "Archivist cannot be asked in this way."),
            ({"namespaces": ["lab"]}, "Archivist does not work in sessions of this kind."),
        ],
    )
    def test_a_refusal_stands_at_the_composer_and_the_text_is_kept(self, scene, browser_of, policy, sentence):
        narrowed("archivist", **policy)
        answer = say(browser_of("sam"), "kept words", **SIDE)
        assert answer.status_code == 422
        assert f"{sentence} Your text is kept." in words(answer)
        assert ">kept words</textarea>" in source(answer)
        assert not Message.objects.exists()

    def test_what_comes_back_stands_on_the_way_that_was_chosen(self, scene, browser_of):
        Session.objects.filter(id=scene.session.id).update(depth=0)
        answer = say(browser_of("sam"), "  ", **SIDE)
        assert answer.status_code == 422
        assert chosen(answer) == "agent:archivist"
        assert re.search(r'value="agent:archivist child_session"[^>]*checked', source(answer))
        assert re.search(r'value="active_agent" aria-label="To Mirror[^>]*data-way[^>]*checked', source(answer))

    def test_who_may_not_is_refused(self, scene, browser_of):
        assert say(browser_of("vic"), **SIDE).status_code == 403
        assert not Session.objects.filter(parent=scene.session).exists()


class TestTheCard:
    @pytest.fixture
    def opened(self, scene) -> Message:
        return Message.objects.get(
            id=scene.say("sam", "look *into* this", "agent:archivist", dispatch="child_session").id
        )

    def test_it_says_with_whom_and_shows_the_text(self, scene, browser_of, opened):
        shown = card(source(browser_of("vic").get(PAGE)), str(opened.id))
        assert 'href="#sign-ear-branch"' in shown
        assert "Side session with Archivist" in shown
        assert "look <em>into</em> this" in shown

    def test_what_was_just_said_looks_as_it_does_when_it_is_read(self, scene):
        said = scene.say("sam", "go", "agent:archivist", dispatch="child_session")
        read_again = read.message(person("sam"), said.id)
        assert said.target_names == read_again.target_names == ["Archivist"]
        assert message_html(said) == message_html(read_again)

    def test_members_of_the_side_session_alone_are_shown_the_way_in(self, scene, browser_of, opened):
        assert "hidden" not in link(source(browser_of("sam").get(PAGE)), opened)
        for other in ("alex", "vic"):
            assert "hidden" in link(source(browser_of(other).get(PAGE)), opened)
        leave(Membership.objects.get(session=opened.child, person__handle__spelled="sam"))
        assert "hidden" in link(source(browser_of("sam").get(PAGE)), opened)

    def test_one_that_comes_by_socket_hides_it_until_the_page_knows(self, scene, opened):
        live = message_html(read.message(person("sam"), opened.id))
        assert "hidden" in link(live, opened)
        assert "Side session with Archivist" in live

    def test_the_way_in_leads_there_and_others_find_nothing(self, scene, browser_of, opened):
        href = html.unescape(re.search(r'href="([^"]*)"', link(source(browser_of("sam").get(PAGE)), opened))[1])  # type: ignore[index]
        there = browser_of("sam").get(href, follow=True)
        assert there.status_code == 200
        assert "look into this" in words(there)
        assert browser_of("alex").get(href).status_code == 404

    def test_cards_cost_no_query_each(self, scene, browser_of, opened, django_assert_max_num_queries):
        sam = browser_of("sam")
        sam.get(PAGE)
        with django_assert_max_num_queries(40) as one:
            sam.get(PAGE)
        for n in range(5):
            scene.say("sam", f"again {n}", "agent:archivist", dispatch="child_session")
        with django_assert_max_num_queries(len(one)):
            sam.get(PAGE)

    def test_once_deleted_nothing_of_it_stands_there(self, scene, browser_of, opened):
        from messaging.actions.delete import delete

        delete(person("sam"), opened.id)
        shown = card(source(browser_of("sam").get(PAGE)), str(opened.id))
        assert "Deleted" in shown
        assert "data-side" not in shown


class TestTheSideSession:
    def test_its_members_who_are_in_the_first_one_find_the_way_back(self, scene, browser_of):
        child = scene.say("sam", "go", "agent:archivist", dispatch="child_session").child
        page = browser_of("sam").get(f"/s/{child}/", follow=True)
        assert "Side session of Welcome" in words(page)
        assert f'Side session of</span> <a href="{PAGE}">' in source(page)

    def test_others_are_told_that_it_is_one_and_not_of_what(self, scene, browser_of):
        child = scene.say("sam", "go", "agent:archivist", dispatch="child_session").child
        join(Session.objects.get(id=child), _person("xan"), Role.MEMBER)
        page = browser_of("xan").get(f"/s/{child}/", follow=True)
        assert "Side session" in words(page)
        assert "Welcome" not in words(page)
        assert PAGE not in source(page)

    def test_any_other_session_says_nothing_of_the_kind(self, scene, browser_of):
        assert "side-of" not in source(browser_of("vic").get(PAGE))


def test_an_answer_to_an_agent_says_to_which(scene, browser_of):
    from messaging.actions.collect import collect
    from messaging.mailbox import say as mailbox
    from messaging.mailbox.claim import claim

    scene.say(agent("scout"), "what of it?", "agent:archivist", dispatch="future_turn")
    held = claim(scene.seat("archivist").id)
    assert held is not None
    mailbox.answer(held, "this of it")
    collect(scene.session.id)
    page = source(browser_of("vic").get(PAGE))
    answer = card(page, str(Message.objects.get(turn=held.turn).id))
    assert "To Scout" in answer
    assert 'data-kind="agent"' in answer
    assert "To Archivist" in page
