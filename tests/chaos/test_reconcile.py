"""The comparison sees what it is there to see: a true account has no complaint, and each lie has one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.chaos import facts, reconcile
from tests.chaos.clients import Kept, Wish
from tests.chaos.facts import Delivery, Entry, Facts, Message, Turn
from tests.chaos.plan import KINDS, plan
from tests.models.server import Recorded

HELLO = Kept(Wish("sam", "room", "<run/sam/0>", "<run/sam/0>", "participants"), "m1", 1, 1)
WHY = Kept(Wish("sam", "room", "<run/sam/1>", "<run/sam/1>", "active_agent"), "m2", 2, 2)
KEPT = [HELLO, WHY]
ROWS = [
    Message("m1", "room", 1, "human", "sam", "<run/sam/0>", "participants", "<run/sam/0>", ""),
    Message("m2", "room", 2, "human", "sam", "<run/sam/1>", "active_agent", "<run/sam/1>", ""),
    Message("m3", "room", 3, "agent", "", "I heard that.", "everyone", "", "m2"),
]
TRUE = Facts(
    messages=ROWS,
    entries=[Entry("room", row.seq, "message", row.id) for row in ROWS],
    clocks={"room": 3},
    deliveries=[Delivery("d1", "m2", "input", "responded", "t1")],
    turns=[Turn("t1", "m2", "finished", "", 2)],
    commits={"room": [1.0, 2.0, 2.0]},
)
FRAMES = [(1, "message", "m1"), (2, "message", "m2"), (3, "message", "m3")]
ASKED = ["<run/sam/1>", "<run/sam/1>"]


def complaints(**lies):
    told = {"kept": KEPT, "facts": TRUE, "requests": ASKED, "ears": {"sam": (FRAMES, FRAMES)}} | lies
    return reconcile.everything(**told)


def having(**lies):
    return complaints(facts=replace(TRUE, **lies))


def row(at, **lies):
    return [replace(one, **lies) if n == at else one for n, one in enumerate(ROWS)]


def test_a_true_account_has_no_complaint():
    assert complaints() == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (having(messages=ROWS[1:], entries=TRUE.entries), "lost: <run/sam/0>"),
        (having(messages=[*ROWS, replace(ROWS[0], id="m4", seq=4)]), "doubled: <run/sam/0>"),
        (having(messages=[*ROWS, replace(ROWS[0], id="m4", key="x", text="x")]), "nobody said: x"),
        (having(messages=row(0, text="other")), "changed: <run/sam/0>"),
        (having(messages=row(0, audience="everyone")), "changed: <run/sam/0>"),
        (having(messages=row(0, author="mo")), "changed: <run/sam/0>"),
        (having(messages=row(0, seq=2)), "changed: <run/sam/0>"),
        (having(clocks={"room": 4}), "numbers of room are not 1 to 4"),
        (having(entries=TRUE.entries[1:]), "numbers of room are not 1 to 3"),
        (having(entries=[*TRUE.entries[:2], Entry("room", 3, "message", "m9")]), "journal and message differ"),
        (having(commits={"room": [1.0, 3.0, 2.0]}), "room was committed out of order"),
        (complaints(kept=[replace(HELLO, seq=2), replace(WHY, seq=1)]), "is numbered before"),
        (complaints(ears={"sam": (FRAMES[1:], FRAMES)}), "sam missed (1,"),
        (complaints(ears={"sam": ([*FRAMES, FRAMES[2]], FRAMES)}), "sam: (3, 'message', 'm3') after (3,"),
        (complaints(ears={"sam": ([FRAMES[1], FRAMES[0], FRAMES[2]], FRAMES)}), "after (2, 'message', 'm2')"),
        (complaints(ears={"sam": ([*FRAMES, (4, "message", "m4")], FRAMES)}), "sam alone heard (4,"),
        (complaints(requests=[*ASKED, ASKED[0]]), "was asked <run/sam/1> 3 times, recorded are 2"),
        (complaints(requests=["<run/sam/0>"]), "was asked <run/sam/0> 1 times, recorded are 0"),
        (complaints(requests=[""]), "was asked something unknown 1 times"),
        (having(messages=[*ROWS, replace(ROWS[2], id="m4", seq=4)]), "m2 was answered 2 times"),
        (having(deliveries=[]), "m2 came before no agent"),
        (
            having(deliveries=[*TRUE.deliveries, Delivery("d2", "m1", "input", "rejected", "")]),
            "m1 was asked by nobody",
        ),
        (having(deliveries=[replace(TRUE.deliveries[0], state="queued")]), "m2 is queued"),
        (having(deliveries=[replace(TRUE.deliveries[0], state="delivered")]), "m2 is delivered, with 1 answers"),
        (having(messages=ROWS[:2]), "m2 is responded, with 0 answers"),
    ],
)
def test_each_lie_has_its_complaint(wrong, words):
    assert any(words in complaint for complaint in wrong), wrong


def test_a_turn_that_failed_with_a_reason_is_an_end():
    fails = {"messages": ROWS[:2], "entries": TRUE.entries[:2], "clocks": {"room": 2}, "commits": {}}
    fails |= {"deliveries": [replace(TRUE.deliveries[0], state="delivered")]}
    told = {"ears": {}, "requests": ASKED}
    assert complaints(facts=replace(TRUE, turns=[Turn("t1", "m2", "failed", "interrupted", 3)], **fails), **told) == []
    assert complaints(facts=replace(TRUE, turns=[Turn("t1", "m2", "failed", "", 3)], **fails), **told) != []


def test_the_question_of_a_request_is_what_stands_last():
    def request(text):
        return Recorded("/", {}, {"messages": [{"role": "user", "content": text}]})

    told = [request("[sam] <run/sam/0>\n\n[mo] <run/mo/7>"), request("<other/sam/0>"), request("nothing")]
    assert facts.asked(told, "run") == ["<run/mo/7>", ""]


def test_a_seed_gives_the_same_plan_and_every_kind_has_its_turn():
    one = plan(7, 12, 400)
    assert one == plan(7, 12, 400) != plan(8, 12, 400)
    assert {kill.kind for kill in one[:6]} == {kill.kind for kill in one[6:]} == set(KINDS)
    assert [kill.after for kill in one] == sorted(kill.after for kill in one)
    assert one[-1].after < 400
