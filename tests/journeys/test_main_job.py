"""Say it, hear it or not, answer it, see it live: on one process with SQLite, and on a fleet."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytestmark = pytest.mark.journey


def test_the_fate_of_a_question_has_four_rows_and_two_readers_see_them_in_order(member, room):
    alex, readers = member("alex", room), [member(who, room).listen() for who in ("sam", "mo")]
    for reader in readers:
        reader.until(lambda frame: frame["type"] == "ready")
    question = alex.say("What is the time?", "active_agent")
    answer = alex.answer_to(question)
    assert alex.history(question) == ["accepted", "queued", "delivered", "responded"]
    assert "What is the time?" in answer["text"]
    for reader in readers:
        reader.until(lambda frame: frame["type"] == "disposition" and frame["delivery"]["disposition"] == "responded")
        fates = [frame["delivery"]["disposition"] for frame in reader.frames if frame["type"] == "disposition"]
        assert fates == ["accepted", "queued", "delivered", "responded"]
        seqs = [frame["seq"] for frame in reader.frames if "seq" in frame and frame["type"] != "ready"]
        assert seqs == sorted(set(seqs))
        reader.close()


def test_who_is_outside_finds_nothing_on_any_route(member, room):
    question = member("alex", room).say("inside", "active_agent")
    xan = member("xan", room)
    for method, path in (
        ("GET", f"/sessions/{room}"),
        ("GET", f"/sessions/{room}/members"),
        ("GET", f"/sessions/{room}/messages"),
        ("GET", f"/sessions/{room}/changes"),
        ("GET", f"/sessions/{room}/turns"),
        ("GET", f"/messages/{question['id']}"),
        ("GET", f"/messages/{question['id']}/history"),
        ("DELETE", f"/sessions/{room}/members/sam"),
    ):
        assert xan.http.request(method, path).status_code == 404, path
    assert xan.post("let me in").status_code == 404
    assert member("mo", room).http.get(f"/messages/{question['id']}").status_code == 200


def test_what_is_for_people_is_seen_by_people_and_not_in_the_agents_next_answer(member, room):
    alex, sam, mo = (member(who, room) for who in ("alex", "sam", "mo"))
    ears = [one.listen() for one in (sam, mo)]
    alex.say("The surprise party is on Friday")
    for ear in ears:
        ear.until(lambda frame: frame["type"] == "message" and "surprise" in frame["message"]["text"])
        ear.close()
    answer = alex.answer_to(alex.say("What do you know about Friday?", "active_agent"))
    assert "What do you know about Friday?" in answer["text"]
    assert "surprise" not in answer["text"]


def test_twenty_requests_at_once_with_one_key_are_one_message(member, room):
    alex = member("alex", room)
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: alex.post("once", "active_agent", client_key="one"), range(20)))
    assert sorted(one.status_code for one in answers) == [200] * 19 + [201]
    fields = ("id", "seq", "text", "created_at")
    assert len({tuple(one.json()[field] for field in fields) for one in answers}) == 1
    other = alex.post("twice", "active_agent", client_key="one")
    assert (other.status_code, other.json()["code"]) == (409, "key_conflict")
    assert [one["text"] for one in alex.messages() if one["author"]["kind"] == "human"] == ["once"]


def test_fifty_writers_and_three_readers_that_drop_and_resume_agree_with_the_database(member, room):
    """Numbers without holes, in commit order, whatever stalls; whoever resumes misses nothing."""
    chance = random.Random(20261130)
    writers = [member(("alex", "sam", "mo")[n % 3], room) for n in range(50)]
    stalls = [[chance.uniform(0, 0.15) for _ in range(4)] for _ in writers]
    done = threading.Event()
    readers = [Dropping(member(who, room), chance.random(), done) for who in ("alex", "sam", "mo")]

    def write(n):
        for stall in stalls[n]:
            time.sleep(stall)
            writers[n].say(f"{n}", "participants")

    with ThreadPoolExecutor(50) as pool:
        list(pool.map(write, range(50)))
    done.set()
    kept = member("alex", room).messages()
    assert len(kept) == 200
    assert [one["seq"] for one in kept] == list(range(kept[0]["seq"], kept[0]["seq"] + 200))
    assert [one["created_at"] for one in kept] == sorted(one["created_at"] for one in kept)
    for reader in readers:
        reader.thread.join(60)
        assert reader.drops > 1
        assert [(seq, text) for seq, text in reader.got] == [(one["seq"], one["text"]) for one in kept]


class Dropping:
    """A reader that hangs up at random and comes back from the last number that it has seen."""

    def __init__(self, who, seed, done):
        self.who, self.chance, self.done = who, random.Random(seed), done
        self.got, self.drops, self.seq = [], 0, 0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while len(self.got) < 200:
            ear = self.who.listen(self.seq)
            self.drops += 1
            try:
                for _ in range(self.chance.randint(5, 40)):
                    frame = ear.next(5)
                    self.seq = max(self.seq, frame.get("seq", 0))
                    if frame["type"] == "message":
                        self.got.append((frame["seq"], frame["message"]["text"]))
            except TimeoutError:
                pass
            finally:
                ear.close()
