"""The words for fates, choices, rows and trails, as tables."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from collab.web.checklist import Progress, checklist, is_complete
from collab.web.presenters.audience import sign
from collab.web.presenters.choices import choices, first
from collab.web.presenters.company import Company, presence
from collab.web.presenters.fate import fate
from collab.web.presenters.mail import mail
from collab.web.presenters.reply import audience_for
from collab.web.presenters.rows import rows
from collab.web.presenters.trail import trail
from messaging.domain.capability import Capability
from messaging.domain.disposition import Disposition
from messaging.domain.wording import listed, with_you
from messaging.roster.access import MemberView
from messaging.transcript.view import AuthorView, HistoryRow, MailRow, MessageView
from tests.web.test_message import ANSWER, DELIVERY, NOON, QUESTION

HERE = Path(__file__).parent
MIRROR = MemberView(uuid4(), "mirror", "Mirror", "agent", "agent", "hosted", "mirror", active=True, present=True)
SCOUT = MemberView(uuid4(), "scout", "Scout", "agent", "agent", "connected", present=False)
ALL = frozenset(Capability)
MODES = {"hosted": ("future_turn", "child_session"), "connected": ("future_turn",)}


def human(name: str) -> MemberView:
    return MemberView(uuid4(), name.lower(), name, "human", "member")


def room(*members: MemberView, may: frozenset[Capability] = ALL) -> Company:
    return Company("alex", [human("Alex"), *members], may, modes=called(members) if may == ALL else {})


def called(members: Iterable[MemberView]) -> dict[str, list[str]]:
    """What each kind of agent can be called in so far."""
    return {one.handle: list(MODES[one.agent_kind]) for one in members if one.agent_kind}


def hears(here: Company, value: str) -> str:
    return next(choice.hears for choice in choices(here) if choice.value == value)


@pytest.mark.parametrize(
    ("disposition", "reason", "words"),
    [
        ("accepted", "", "Waiting for Mirror"),
        ("queued", "", "Waiting for Mirror"),
        ("queued", "busy", "Waiting, Mirror is busy"),
        ("steering_requested", "", "Mirror gets this at its next step"),
        ("steering_requested", "uncertain", "May have arrived; not sent again by itself"),
        ("delivered", "", "Reached Mirror"),
        ("responded", "", "Answered"),
        ("too_late", "", "Mirror had already finished"),
        ("superseded", "withdrawn", "Withdrawn"),
        ("superseded", "edited", "Replaced by the edited text"),
        ("rejected", "over_budget", "Refused: the budget of Mirror for today is used up"),
        ("rejected", "a_code_from_tomorrow", "Refused"),
        ("failed", "", "Not reached"),
    ],
)
def test_what_became_of_it_in_words(disposition, reason, words):
    assert fate(replace(DELIVERY, disposition=disposition, reason=reason), QUESTION).words == words


@pytest.mark.parametrize("disposition", list(Disposition))
def test_every_disposition_has_words_and_none_shows_its_code(disposition):
    shown = fate(replace(DELIVERY, disposition=disposition, reason="some_code"), QUESTION).words
    assert shown
    assert "_" not in shown


def test_reached_is_never_said_to_be_understood_and_has_its_time():
    shown = fate(replace(DELIVERY, disposition="delivered"), QUESTION)
    assert shown.timed
    assert not any(word in shown.words.lower() for word in ("understood", "done", "read"))


def test_what_may_pass_is_tried_again_and_what_may_not_is_offered_again():
    passing = fate(replace(DELIVERY, disposition="failed", retryable=True), QUESTION)
    final = fate(replace(DELIVERY, disposition="failed"), QUESTION)
    assert ("trying again" in passing.words, passing.again) == (True, "")
    assert ("trying again" in final.words, final.again) == (False, "Send again")


def test_what_all_are_told_waits_for_no_turn():
    told = replace(QUESTION, audience_kind="everyone")
    assert fate(replace(DELIVERY, purpose="mail"), told).words == "Mirror gets this when it next listens"


def test_what_is_told_along_waits_for_the_next_question():
    told = replace(QUESTION, audience_kind="everyone")
    assert fate(replace(DELIVERY, purpose="context"), told).words == "Mirror gets this with the next question"
    assert fate(replace(DELIVERY, purpose="input"), QUESTION).words == "Waiting for Mirror"


def test_an_answer_says_who_hears_it_without_waiting_for_one():
    assert sign(ANSWER).words == "To people and agents"
    assert sign(replace(ANSWER, answers=None)).words.endswith("no answer expected")


def test_an_audience_that_is_not_known_shows_as_the_house_s_own():
    assert sign(replace(QUESTION, audience_kind="hologram")).icon == "square"


def test_to_several_agents_all_are_named():
    deliveries = [DELIVERY, replace(DELIVERY, id="x", agent="scout", agent_name="Scout")]
    shown = sign(replace(QUESTION, audience_kind="agent", targets=["mirror", "scout"], deliveries=deliveries))
    assert shown.words == "To Mirror and Scout"


@pytest.mark.parametrize(("names", "words", "and_you"), json.loads((HERE / "js" / "listed.json").read_text()))
def test_names_are_listed_as_the_page_s_scripts_list_them(names, words, and_you):
    assert (listed(names), with_you(names)) == (words, and_you)


def test_beside_people_only_stands_who_hears_and_that_no_agent_does():
    assert hears(room(human("Sam"), MIRROR), "participants") == "Sam hears this. No agent does."
    assert hears(room(human("Sam"), human("Mo")), "participants") == "2 others hear this: Sam and Mo. No agent does."
    assert hears(room(MIRROR), "participants") == "Nobody hears this: you are the only person here."


def test_beside_an_agent_stands_whether_it_is_there_and_who_sees_it():
    assert hears(room(MIRROR), "active_agent") == "Mirror is here and hears this."
    assert hears(room(human("Sam"), SCOUT), "agent:scout") == (
        "Scout is away, it gets this when it is back. Only Scout hears this. 1 other person sees it."
    )


def test_who_asks_is_told_which_other_agents_get_the_answer():
    """And not where answers are for people, where no other agent is, or where the agent is not ours to speak for."""
    told = replace(room(MIRROR, SCOUT), answers_to_agents=True)
    assert hears(told, "active_agent") == "Mirror is here and hears this. Scout gets the answer, too."
    pilot = replace(SCOUT, handle="pilot", name="Pilot")
    three = replace(told, members=[*told.members, pilot])
    assert hears(three, "active_agent").endswith("Scout and Pilot get the answer, too.")
    elsewhere = replace(told, members=[replace(SCOUT, active=True), replace(MIRROR, active=False)])
    for quiet in (room(MIRROR, SCOUT), replace(told, members=[MIRROR]), elsewhere):
        assert "answer" not in hears(quiet, "active_agent")


def test_an_agent_that_nobody_keeps_track_of_is_not_called_away():
    assert "away" not in presence(replace(SCOUT, present=None))


def test_beside_everyone_stand_all():
    assert hears(room(human("Sam"), MIRROR, SCOUT), "everyone") == (
        "1 other person, Mirror and Scout hear this. Scout is away, it gets this when it is back."
    )


def test_an_active_connected_agent_is_asked_as_the_active_one_alone():
    active = replace(SCOUT, active=True)
    values = [choice.value for choice in choices(room(human("Sam"), active))]
    assert "active_agent" in values
    assert "agent:scout" not in values


def test_to_an_agent_by_name_the_dispatch_is_said():
    by_name = next(choice for choice in choices(room(SCOUT)) if choice.value == "agent:scout")
    assert by_name.dispatch == "future_turn"


def test_without_rights_nothing_is_offered():
    here = room(human("Sam"), MIRROR, may=frozenset())
    assert choices(here) == []
    assert first(here, []) is None


def test_who_may_only_write_to_one_begins_there():
    here = room(human("Sam"), MIRROR, may=frozenset({Capability.DIRECT_MESSAGE}))
    begin = first(here, choices(here))
    assert begin is not None
    assert begin.value == "participant:sam"


def test_what_agents_hear_falls_back_and_what_people_hear_does_not():
    back = {choice.value for choice in choices(room(human("Sam"), MIRROR, SCOUT)) if choice.to_agent}
    assert back == {"active_agent", "agent:scout", "everyone"}


def test_a_reply_never_reaches_further_than_what_it_replies_to():
    offered = choices(room(human("Sam"), MIRROR))
    gone = replace(QUESTION, audience_kind="participant", author=AuthorView("gone", "human", "Gone"), targets=["alex"])
    assert audience_for(gone, "alex", offered) == ""


def to(*names: str, author: str = "sam", kind: str = "participant") -> MessageView:
    said_by = AuthorView(author, "human", author.title())
    return replace(QUESTION, audience_kind=kind, author=said_by, targets=list(names))


@pytest.mark.parametrize("author", ["sam", "mo", "alex"])
def test_a_reply_to_a_direct_message_among_several_goes_to_all_of_them_whoever_wrote_it(author):
    here = room(human("Sam"), human("Mo"), human("Vic"))
    targets = [name for name in ("alex", "mo", "sam") if name != author]
    wish = audience_for(to(*targets, author=author), "alex", choices(here))
    assert wish == "participant:sam,participant:mo"
    several = choices(here, wish)[-1]
    assert (several.value, several.send) == (wish, "Send to Sam and Mo alone")
    assert (several.words, several.label) == ("Only Sam, Mo and you", "Sam and Mo")
    assert several.tone == "direct"
    assert not several.to_agent


def test_of_several_those_who_are_still_there_get_the_reply():
    offered = choices(room(human("Sam")))
    assert audience_for(to("alex", "gone", author="sam"), "alex", offered) == "participant:sam"


def test_a_reply_to_what_several_agents_heard_goes_to_all_of_them():
    here = room(SCOUT, replace(SCOUT, handle="pilot", name="Pilot"))
    wish = audience_for(to("pilot", "scout", kind="agent"), "alex", choices(here))
    several = choices(here, wish)[-1]
    assert (several.value, several.send, several.dispatch) == (
        "agent:scout,agent:pilot",
        "Ask Scout and Pilot",
        "future_turn",
    )


@pytest.mark.parametrize(
    "wish",
    [
        "",
        "participant:sam",
        "participant:sam,participant:gone",
        "participant:sam,agent:scout",
        "x,y",
        ",",
        "participants,everyone",
    ],
)
def test_no_wish_makes_a_choice_of_whom_one_may_not_speak_to(wish):
    here = room(human("Sam"), SCOUT)
    assert choices(here, wish) == choices(here)


def test_without_the_right_to_write_to_one_there_is_none_to_write_to_several():
    here = room(human("Sam"), human("Mo"), may=frozenset({Capability.POST_HUMAN}))
    assert choices(here, "participant:sam,participant:mo") == choices(here)


def test_days_and_heads():
    said = [replace(QUESTION, created_at=NOON + timedelta(minutes=m)) for m in (0, 4, 10, 12 * 60)]
    laid = rows([*said[:2], replace(said[1], answers="x"), *said[2:]])
    assert [row.joined for row in laid] == [False, True, False, False, False]
    assert [row.day is not None for row in laid] == [True, False, False, False, True]


def test_a_trail_names_who_acted_where_that_tells_something():
    def row(state: str, actor: str, reason: str = "", agent: str = "mirror") -> HistoryRow:
        return HistoryRow(NOON, "disposition", state, reason, actor, agent, retryable=False)

    message = replace(QUESTION, deliveries=[DELIVERY])
    history = [row("accepted", "alex"), row("queued", "alex"), row("delivered", "agents"), row("responded", "mirror")]
    assert [(step.words, step.actor) for step in trail(history, message)] == [
        ("Stored and addressed to Mirror", "Alex"),
        ("Waiting for Mirror", ""),
        ("Reached Mirror", ""),
        ("Mirror answered", ""),
    ]
    refused = [row("superseded", "mo", "withdrawn"), row("rejected", "house", "over_budget")]
    assert [step.actor for step in trail(refused, message)] == ["mo", ""]
    both = [row("accepted", "alex"), row("accepted", "alex", agent="scout")]
    assert len(trail(both, message, "scout")) == 1


def test_the_checklist_follows_what_happened():
    nothing = checklist(Progress(False, False, False), "Mirror")
    assert [item.done for item in nothing] == [False, False, False]
    some = checklist(Progress(True, False, True), "Mirror")
    assert [item.done for item in some] == [True, False, True]
    assert not is_complete(some)
    assert is_complete(checklist(Progress(True, True, True), "Mirror"))


@pytest.mark.parametrize(
    ("direction", "disposition", "head", "state"),
    [
        ("heard", "queued", "From Alex", "not shown to it yet"),
        ("heard", "responded", "From Alex", "shown to it, answered"),
        ("heard", "superseded", "From Alex", "withdrawn, never shown to it"),
        ("said", "", "Mirror said", ""),
    ],
)
def test_a_mailbox_s_rows_say_what_was_shown(direction, disposition, head, state):
    said = MailRow(1, direction, "x", "alex", "human", "text", withheld=False, at=NOON, disposition=disposition)
    row = replace(said, author_name="Alex")
    [shown] = mail([row], "Mirror")
    assert (shown.row, shown.head, shown.state) == (row, head, state)
    assert shown.handle == ("@alex" if direction == "heard" else "")


@pytest.mark.parametrize("disposition", list(Disposition))
def test_a_mailbox_has_words_for_every_state(disposition):
    row = MailRow(1, "heard", "x", "alex", "human", "", withheld=False, at=NOON, disposition=disposition)
    assert mail([row], "Mirror")[0].state
