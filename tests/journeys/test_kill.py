"""Killed in the middle, without a warning: what was accepted is there, once and in order."""

from __future__ import annotations

import threading
import time

import httpx
import pytest

from tests.journeys.client import Member, until
from tests.services.earshot import Installation

pytestmark = pytest.mark.processes
POSTS = 200


@pytest.fixture
def own(tmp_path):
    running = Installation(tmp_path / "home")
    yield running
    running.stop()


class Writer:
    """Posts on and on under keys of its own, and remembers what was acknowledged."""

    def __init__(self, member, name, audience):
        self.member, self.name, self.audience, self.accepted = member, name, audience, []
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        for n in range(POSTS // 4):
            text = f"{self.name}-{n}"
            try:
                answer = self.member.post(text, self.audience, client_key=text)
            except httpx.HTTPError:
                return
            if answer.status_code == 201:
                self.accepted.append((answer.json()["seq"], answer.json()["id"], text))
            elif answer.status_code == 429:
                time.sleep(0.05)


def test_nothing_accepted_is_lost_or_doubled_and_every_question_is_answered_once_or_says_why(own):
    first = own.up()
    secrets = own.tokens()["tokens"]
    writers = [Writer(Member(own, secrets[who]), f"{who}-{audience}", audience)
               for who in ("alex", "sam") for audience in ("participants", "active_agent")]  # fmt: skip
    until(lambda: sum(len(one.accepted) for one in writers) >= 40, "some posts to be accepted")
    first.kill()
    for one in writers:
        one.thread.join(30)
    accepted = sorted(row for one in writers for row in one.accepted)
    assert len(accepted) < POSTS

    own.up()
    alex = Member(own, secrets["alex"])
    kept = alex.messages()
    assert [row for row in accepted if row not in [(one["seq"], one["id"], one["text"]) for one in kept]] == []
    said = [one for one in kept if one["author"]["kind"] == "human"]
    assert len({one["text"] for one in said}) == len(said)
    assert [one["seq"] for one in kept] == sorted({one["seq"] for one in kept})
    for one in writers:
        order = [message["text"] for message in said if message["text"].startswith(one.name + "-")]
        assert order == sorted(order, key=lambda text: int(text.rsplit("-", 1)[1]))

    questions = [one for one in said if one["audience"] == "active_agent"]
    assert questions
    until(lambda: all(ended(alex, one) for one in questions), "every question to be answered, or say why", 90)
    answers = [one["answers"] for one in alex.messages() if one["answers"]]
    assert len(answers) == len(set(answers))


def ended(alex, question):
    """Answered once; or not, with a reason that people can read."""
    [delivery] = alex.get(f"/messages/{question['id']}")["deliveries"]
    if delivery["disposition"] == "responded":
        return True
    turns = [turn for turn in alex.get("/sessions/welcome/turns")["items"] if turn["input"] == question["id"]]
    failed = [turn for turn in turns if turn["state"] == "failed"]
    return bool(failed and failed[0]["reason"]) or (delivery["disposition"] == "rejected" and delivery["reason"])
