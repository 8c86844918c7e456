"""The demo's checklist follows what this person really did, on the demo's page alone."""

from __future__ import annotations

import re

from messaging.actions.open_session import open_session
from messaging.roster.models import Agent, Person
from tests.web.scene import PAGE, source, words


def done(page) -> list[str]:
    return re.findall(r'<li data-item="(\w+)" data-done>', source(page))


def test_each_line_is_ticked_once_it_happened(scene, browser_of):
    alex = browser_of("alex")
    assert done(alex.get(PAGE)) == []
    scene.say("alex", "hello")
    assert done(alex.get(PAGE)) == ["people"]
    scene.say("alex", "a question", "active_agent")
    assert done(alex.get(PAGE)) == ["people"]
    scene.answer("an answer")
    assert done(alex.get(PAGE)) == ["people", "ask"]
    alex.get(f"{PAGE}as/mirror/")
    assert "Three things to try" not in words(alex.get(PAGE))


def test_what_others_did_ticks_nothing(scene, browser_of):
    scene.say("sam", "hello")
    scene.asked("sam")
    browser_of("sam").get(f"{PAGE}as/mirror/")
    assert done(browser_of("alex").get(PAGE)) == []


def test_a_direct_message_is_not_said_to_people(scene, browser_of):
    scene.say("alex", "hello", "participant:sam")
    assert done(browser_of("alex").get(PAGE)) == []


def test_other_sessions_have_none(scene, browser_of):
    mirror = Agent.objects.get(handle__spelled="mirror")
    open_session(Person.objects.get(handle__spelled="alex"), title="Other", slug="other", active_agent=mirror)
    assert "Three things to try" not in words(browser_of("alex").get("/s/other/"))


def test_whoever_may_not_ask_the_agent_is_not_told_to(scene, browser_of):
    vic = browser_of("vic")
    assert "Ask Mirror" not in words(vic.get(PAGE))
    scene.say("vic", "hello")
    vic.get(f"{PAGE}as/mirror/")
    assert "to try" not in words(vic.get(PAGE))
