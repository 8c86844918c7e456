"""The ways in which an agent is called by name: which are offered, and the words of each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from collab.web.presenters.ahead import widenings
from collab.web.presenters.audience import sign
from collab.web.presenters.choice import Choice
from collab.web.presenters.choices import choices
from collab.web.presenters.company import Company
from collab.web.presenters.reply import audience_for
from messaging.roster.access import MemberView
from messaging.transcript.view import AuthorView
from tests.web.test_message import DELIVERY, NOON, QUESTION
from tests.web.test_words import MIRROR, SCOUT, human, room

ARCHIVIST = replace(MIRROR, handle="archivist", name="Archivist", active=False)


def one_of(here: Company, value: str) -> Choice:
    return next(choice for choice in choices(here) if choice.value == value)


def test_an_agent_that_can_be_called_in_several_ways_offers_them_and_begins_with_a_turn():
    found = one_of(room(human("Sam"), MIRROR, ARCHIVIST), "agent:archivist")
    assert [(way.value, way.icon, way.words, way.send) for way in found.ways] == [
        ("agent:archivist future_turn", "ear-open", "To Archivist", "Ask Archivist"),
        (
            "agent:archivist child_session",
            "ear-branch",
            "Side session with Archivist",
            "Open a side session with Archivist",
        ),
    ]
    assert (found.dispatch, found.way, found.send) == ("future_turn", found.ways[0].value, "Ask Archivist")
    assert found.standing("agent:archivist child_session").way == "agent:archivist child_session"
    assert found.standing("agent:mirror child_session").way == found.way


def test_one_that_can_be_called_in_one_way_offers_no_further_choice():
    assert one_of(room(MIRROR, SCOUT), "agent:scout").ways == ()
    for mode, words in (("future_turn", "Ask Archivist"), ("child_session", "Open a side session with Archivist")):
        only = one_of(replace(room(MIRROR, ARCHIVIST), modes={"archivist": [mode]}), "agent:archivist")
        assert (only.ways, only.dispatch, only.send) == ((), mode, words)
        assert only.posted == f"agent:archivist {mode}"


def test_the_active_agent_is_asked_without_a_mode_and_by_name_for_a_side_session_alone():
    here = room(human("Sam"), MIRROR)
    assert [way.value for way in one_of(here, "active_agent").ways] == ["active_agent", "agent:mirror child_session"]
    assert "agent:mirror" not in {choice.value for choice in choices(here)}


@pytest.mark.parametrize("modes", [{}, {"mirror": [], "archivist": []}, {"archivist": ["a_mode_from_tomorrow"]}])
def test_no_way_is_offered_that_is_not_permitted_or_has_no_words(modes):
    found = choices(replace(room(human("Sam"), MIRROR, ARCHIVIST), modes=modes))
    assert not any(choice.ways or choice.dispatch for choice in found)
    assert "active_agent" in {choice.value for choice in found}


def test_an_active_agent_that_takes_nothing_here_is_not_offered():
    here = replace(room(human("Sam"), MIRROR, SCOUT), active_takes=False, modes={"scout": ["future_turn"]})
    assert {choice.value for choice in choices(here)} == {"participants", "agent:scout", "everyone", "participant:sam"}


def test_beside_a_side_session_stands_who_is_in_it_and_what_others_see():
    there, alone = room(human("Sam"), human("Mo"), MIRROR, ARCHIVIST), room(MIRROR, ARCHIVIST)
    turn, side = (way.hears for way in one_of(there, "agent:archivist").ways)
    assert turn == "Only Archivist hears this. Archivist is here. 2 other people see it."
    assert side == (
        "Archivist and you alone are in it, and Archivist hears nothing of this session but this message. "
        "2 other people see the message, and not what is said there."
    )
    assert "other" not in one_of(alone, "agent:archivist").ways[1].hears


def test_who_asks_one_by_name_is_told_who_else_gets_the_answer():
    told = replace(room(MIRROR, ARCHIVIST), answers_to_agents=True)
    assert (
        one_of(told, "agent:archivist").hears
        == "Only Archivist hears this. Archivist is here. Mirror gets the answer, too."
    )


def test_names_are_put_into_words_as_they_are():
    odd = replace(ARCHIVIST, name="{active} {agent}")
    assert one_of(room(MIRROR, odd), "agent:archivist").send == "Ask {active} {agent}"


def test_what_opens_a_session_of_its_own_takes_no_reply_and_nothing_said_before():
    here = replace(
        room(human("Sam"), SCOUT, ARCHIVIST), modes={"archivist": ["child_session"], "scout": ["future_turn"]}
    )
    parent = replace(QUESTION, author=AuthorView("archivist", "agent", "Archivist"))
    assert audience_for(parent, "alex", choices(here)) == ""
    assert choices(here, "agent:archivist,agent:scout") == choices(here)
    offered = [one.choice.value for one in widenings(here, choices(here), "participants", QUESTION)]
    assert ("agent:scout" in offered, "agent:archivist" in offered) == (True, False)


@pytest.mark.parametrize(("author", "value"), [("mirror", "active_agent"), ("scout", "agent:scout"), ("archivist", "")])
def test_a_reply_to_an_agent_goes_to_that_agent_and_to_no_other(author, value):
    here = replace(room(human("Sam"), MIRROR, SCOUT, ARCHIVIST), modes={"scout": ["future_turn"]})
    answer = replace(QUESTION, author=AuthorView(author, "agent", author), audience_kind="everyone")
    asked = replace(QUESTION, audience_kind="agent", targets=[author])
    assert audience_for(answer, "alex", choices(here)) == value
    assert audience_for(asked, "alex", choices(here)) == value


def test_a_message_that_opens_a_side_session_says_so():
    asked = replace(QUESTION, audience_kind="agent", targets=["archivist"], deliveries=[], target_names=["Archivist"])
    opened = sign(replace(asked, dispatch="child_session", child="x"))
    assert (opened.icon, opened.words) == ("ear-branch", "Side session with Archivist")
    for dispatch in ("future_turn", "", "a_mode_from_tomorrow"):
        assert (sign(replace(asked, dispatch=dispatch)).icon, sign(replace(asked, dispatch=dispatch)).words) == (
            "ear-open",
            "To Archivist",
        )


def two(*others: MemberView, **changes: Any) -> Company:
    """Mirror, the active agent, and Archivist, which it may be made to ask."""
    return replace(room(*others, MIRROR, ARCHIVIST), modes={"archivist": ["consult", "advisor"]}, **changes)


def test_the_active_agent_is_made_to_ask_another_one_in_so_many_words():
    assert [(way.value, way.icon, way.words, way.send) for way in one_of(two(), "agent:archivist").ways] == [
        ("agent:archivist consult", "ears-two", "Mirror asks Archivist", "Have Mirror ask Archivist"),
        ("agent:archivist advisor", "ear-small", "Quick advice to Mirror by Archivist", "Get Mirror quick advice"),
    ]


def test_beside_it_stands_who_hears_what():
    consult, advice = (way.hears for way in one_of(two(human("Sam")), "agent:archivist").ways)
    assert consult == (
        "Mirror hears this and puts it to Archivist, which gets the question alone. "
        "1 other person sees it and what both say."
    )
    assert "Archivist, which gets the question alone, without its memory. " in advice
    assert "other" not in one_of(two(), "agent:archivist").ways[0].hears
    told = two(answers_to_agents=True)
    assert one_of(told, "agent:archivist").ways[0].hears.endswith("Archivist gets what Mirror answers, too.")


@pytest.mark.parametrize("changes", [{"active_takes": False}, {"members": [human("Alex"), ARCHIVIST]}])
def test_where_nobody_can_ask_another_one_it_is_not_offered(changes):
    assert not any(choice.value == "agent:archivist" for choice in choices(two(**changes)))


@pytest.mark.parametrize(
    ("dispatch", "icon", "by_person", "by_agent"),
    [
        ("consult", "ears-two", "Mirror asks Archivist", "Asks Archivist"),
        ("advisor", "ear-small", "Quick advice to Mirror by Archivist", "Asks Archivist for quick advice"),
    ],
)
def test_what_two_agents_have_to_do_with_each_other_says_so(dispatch, icon, by_person, by_agent):
    asked = replace(QUESTION, audience_kind="agent", targets=["archivist"], dispatch=dispatch)
    wish = sign(replace(asked, target_names=["Archivist"], deliveries=[DELIVERY]))
    assert (wish.icon, wish.words, wish.card, wish.asks) == (icon, by_person, True, False)
    before = replace(DELIVERY, agent="archivist", agent_name="Archivist")
    question = sign(replace(asked, author=AuthorView("mirror", "agent", "Mirror"), deliveries=[before]))
    assert (question.icon, question.words, question.card, question.asks) == (icon, by_agent, True, True)
    by = AuthorView("archivist", "agent", "Archivist")
    back = sign(replace(asked, author=by, targets=["mirror"], answers="x", deliveries=[DELIVERY]))
    assert (back.icon, back.words, back.card, back.asks) == (icon, "To Mirror", True, False)


def test_a_wish_that_was_sent_again_names_who_asks_now():
    scout = replace(DELIVERY, id="x", agent="scout", agent_name="Scout")
    asked = replace(QUESTION, audience_kind="agent", targets=["archivist"], target_names=["Archivist"])
    assert sign(replace(asked, dispatch="consult", deliveries=[DELIVERY, scout])).words == "Scout asks Archivist"


def test_a_deleted_one_and_one_that_only_waits_its_turn_are_no_cards():
    asked = replace(QUESTION, audience_kind="agent", targets=["archivist"], deliveries=[DELIVERY])
    by_agent = replace(asked, author=AuthorView("mirror", "agent", "Mirror"), dispatch="consult", deleted_at=NOON)
    assert not sign(replace(asked, dispatch="future_turn")).card
    assert not sign(replace(asked, dispatch="consult", deleted_at=NOON)).card
    assert (sign(by_agent).card, sign(by_agent).asks) == (False, False)
