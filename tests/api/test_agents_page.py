"""The page on adding an agent: each example can be added, and what its tables name is there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from messaging.agents.providers import options
from messaging.domain.provider import MODELS, SETTINGS
from messaging.domain.reason import TURN
from messaging.roster.models import Agent
from tests.cast import Room, token

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "agents.md").read_text()
AGENT = re.compile(r"\{\"handle\": \"\w+\",.*?\}(?=\n\n|\')", re.DOTALL)
EXAMPLES: list[dict[str, Any]] = [json.loads(found) for found in AGENT.findall(PAGE)]
BOTH = pytest.mark.django_db(databases=["default", "agents"], transaction=True)


@pytest.fixture
def room() -> Room:
    return Room.open()


def send(bearer: str, path: str, body: dict[str, Any] | None = None, method: str = "POST") -> Any:
    headers = {"Authorization": f"Bearer {bearer}"}
    raw = json.dumps(body) if body is not None else ""
    return Client().generic(method, f"/api/v1{path}", raw, "application/json", headers=headers)


def rows(title: str) -> list[set[str]]:
    """The words in backquotes of each row's first cell, in the tables of that section."""
    section = PAGE.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    return [set(re.findall(r"`(\w+)`", cell)) for cell in re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)]


def test_there_are_examples_of_each_kind():
    assert {(one["kind"], one.get("provider")) for one in EXAMPLES} == {
        ("hosted", "openai"), ("hosted", "anthropic"), ("hosted", "mirror"), ("connected", None),
    }  # fmt: skip
    assert len(EXAMPLES) == 10


@BOTH
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["handle"])
def test_each_example_is_added_and_a_model_s_is_read_as_agents_read_it(room: Room, example: dict[str, Any]):
    body = example | {"handle": f"{example['handle']}-1"}
    made = send(token("alex"), "/agents", body)
    assert made.status_code == 201, made.content
    row = Agent.objects.get(handle__spelled=body["handle"])
    assert (row.kind, row.provider) == (body["kind"], body.get("provider", ""))
    if row.provider in MODELS:
        key = row.settings.get("key_env")
        found = options.read(row.settings, {key: "sk-test"} if key else {})
        assert (found.model, found.key) == (body["settings"]["model"], "sk-test" if key else found.key)


def test_the_table_of_settings_has_each_and_no_other():
    assert {word for row in rows("What each field means") for word in row} >= set(SETTINGS["openai"])
    fields = {"handle", "name", "kind", "provider", "settings"}
    assert {word for row in rows("What each field means") for word in row} - fields == set(SETTINGS["openai"])


def test_the_table_of_reasons_has_each_that_a_model_can_give_and_no_invented_one():
    told = {word for row in rows("When it does not answer") for word in row}
    assert told <= set(TURN)
    assert {reason for reason in TURN if reason.startswith("provider_")} | {"no_key", "bad_settings"} <= told


@BOTH
def test_a_connected_agent_comes_in_hears_and_answers(room: Room):
    alex = token("alex")
    send(alex, "/agents", {"handle": "runner", "name": "Runner", "kind": "connected"})
    runner = token("runner")
    # Without a seat there is no session for it.
    assert send(runner, "/sessions/welcome/messages?after=0", method="GET").status_code == 404
    assert send(alex, "/sessions/welcome/members", {"handle": "runner"}).status_code == 201
    room.say("alex", "between us")
    asked = room.say("alex", "run", "agent:runner", dispatch="future_turn")
    [mail] = send(runner, "/sessions/welcome/messages?after=0", method="GET").json()["items"]
    assert (mail["id"], mail["text"]) == (asked.id, "run")
    answer = {"text": "Done.", "audience": "participants", "reply_to": mail["id"], "client_key": "answer-1"}
    assert send(runner, "/sessions/welcome/messages", answer).status_code == 201
    [delivery] = send(alex, f"/messages/{asked.id}", method="GET").json()["deliveries"]
    assert delivery["disposition"] == "responded"
