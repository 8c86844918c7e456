"""An ask comes to whom it names, live, and to nobody else who is in the session."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async

from messaging.actions.answer_ask import answer_ask
from messaging.actions.ask import ask
from messaging.actions.show_asks import show_asks
from messaging.domain.ask import Surface
from tests.cast import agent, person

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "agents"])


async def test_it_is_told_when_it_is_made_and_when_it_is_answered(connect, room, say):
    sam, others = await connect("sam"), [await connect(who) for who in ("alex", "mo", "vic")]
    for one in (sam, *others):
        await one.until("ready")
    made = await sync_to_async(lambda: ask(agent("scout"), room.session, "sam", "which?", ["Blue", "Green"]))()
    frame = await sam.next()
    assert (frame["type"], frame["ask"]["id"], frame["ask"]["state"]) == ("ask", made.id, "open")
    assert frame["ask"]["content"] == "which?"

    def answer() -> None:
        show_asks(person("sam"), Surface.REST)
        answer_ask(person("sam"), made.id, "Blue", Surface.REST)

    await sync_to_async(answer)()
    frame = await sam.next()
    assert (frame["type"], frame["ask"]["state"], frame["ask"]["answer"]) == ("ask", "answered", "Blue")

    await say("alex", "something else")
    for one in others:
        got = await one.next()
        assert got["type"] == "message", "nothing came before it"


async def test_who_comes_later_is_told_with_the_history(connect, room):
    await sync_to_async(lambda: ask(agent("scout"), room.session, "sam", "which?", ["Blue", "Green"]))()
    told = {who: await (await connect(who)).until("ready") for who in ("sam", "alex")}
    kinds = {who: {frame["type"] for frame in frames} for who, frames in told.items()}
    assert kinds == {"sam": {"member", "ask", "ready"}, "alex": {"member", "ready"}}
