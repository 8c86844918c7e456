"""What a client fetched early, brought up by the frames that followed, is what it would fetch now: for every role.

Random deeds of everybody, in any order; promise 19. A client is a plain fold: `apply` knows frames and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict
from itertools import count
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from collab.api.frames import frame_out
from collab.api.gives import MemberOut, MessageOut, RoomOut, TurnOut
from messaging.actions.collect import collect
from messaging.actions.configure import configure
from messaging.actions.delete import delete
from messaging.actions.draft import Refusal
from messaging.actions.edit import edit
from messaging.actions.fresh_start import fresh_start
from messaging.actions.reclassify import reclassify
from messaging.actions.resend import resend
from messaging.actions.stop import stop
from messaging.actions.supersede import supersede
from messaging.actions.take import take
from messaging.journal.clock import seq_of
from messaging.mailbox import say, turns
from messaging.mailbox.claim import claim
from messaging.mailbox.lease import Claim, LeaseLost
from messaging.mailbox.models import Turn
from messaging.roster import access
from messaging.roster.access import Forbidden, Hidden, Viewer
from messaging.roster.models import Membership, Session
from messaging.transcript import build, changes, read
from messaging.transcript.models import Message
from tests.actions.deeds import made, put_out
from tests.cast import Room, agent, person

State = dict[str, Any]
FIRST = ("alex", "mo", "sam", "vic", "gus")
#: Comes while the others talk.
LATER = "xan"
AUDIENCES = [
    "participants", "active_agent", "everyone", "agent:scout", "participant:sam", ["participant:alex", "participant:vic"], None,
]  # fmt: skip
SHOWN = ("delivered", "responded")


def snapshot(who: Viewer, room: Room) -> State:
    """Everything by the routes that give it: all pages of messages, members, turns, the session."""
    session = Session.objects.select_related("active_agent__handle").get(id=room.session.id)
    state = {
        "seq": seq_of(session.id),
        "messages": {view.id: _json(MessageOut.from_orm(view)) for view in _pages(who, session)},
        "members": {view.handle: _member(MemberOut.from_orm(view)) for view in access.members(who, session)},
        "turns": {view.id: _turn(_json(TurnOut.from_orm(view))) for view in read.turns(who, session)},
        "session": _json(RoomOut(**asdict(build.session(session)))),
    }
    return deepcopy(state)


def _pages(who: Viewer, session: Session) -> Iterator[Any]:
    after: int | None = 0
    while after is not None:
        page = read.page(who, session, after=after, limit=7)
        yield from page.items
        after = page.next


def _json(shape: Any) -> Any:
    return shape.model_dump(mode="json")


def _member(shape: Any) -> Any:
    """Presence is asked for, never told by a number."""
    return {name: value for name, value in _json(shape).items() if name != "present"}


def _turn(turn: dict[str, Any]) -> dict[str, Any]:
    """What a running turn took in meanwhile is told by the steps of the messages, and by the turn once it has ended."""
    changing = ("window", "steers") if turn["state"] == "running" else ()
    return {name: value for name, value in turn.items() if name not in changing}


def apply(state: State, frame: dict[str, Any]) -> None:
    """What a client does with a frame."""
    match frame["type"]:
        case "message":
            state["messages"][frame["message"]["id"]] = frame["message"]
        case "disposition":
            _step(state["messages"][frame["message"]], frame["delivery"])
        case "turn":
            state["turns"][frame["turn"]["id"]] = _turn(frame["turn"])
        case "member" if frame["member"]["role"]:
            state["members"][frame["member"]["handle"]] = _without_presence(frame["member"])
        case "member":
            state["members"].pop(frame["member"]["handle"], None)
        case "session":
            state["session"] = frame["session"]
        case other:
            raise AssertionError(other)
    _mark_active(state)
    state["seq"] = frame["seq"]


def _without_presence(member: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in member.items() if name != "present"}


def _mark_active(state: State) -> None:
    for handle, member in state["members"].items():
        member["active"] = member["kind"] == "agent" and handle == state["session"]["active_agent"]


def _step(message: dict[str, Any], delivery: dict[str, Any]) -> None:
    """The newest step of each delivery counts; what was shown once was shown for ever."""
    known = {one["id"]: one for one in message["deliveries"]}
    if delivery["id"] not in known or known[delivery["id"]]["step"] <= delivery["step"]:
        known[delivery["id"]] = delivery
    message["deliveries"] = sorted(known.values(), key=lambda one: (one["changed_at"], one["id"]))
    message["ever_delivered"] = message["ever_delivered"] or delivery["disposition"] in SHOWN


class Client:
    """Somebody who fetched once, and follows since."""

    def __init__(self, handle: str, room: Room) -> None:
        self.who, self.room = person(handle), room
        self.state = snapshot(self.who, room)

    def follow(self) -> None:
        session = self.room.session
        more = True
        while more:
            found = changes.to(self.who, session, self.state["seq"])
            for frame in found.frames:
                apply(self.state, json.loads(json.dumps(_json(frame_out(frame)))))
            self.state["seq"], more = found.next, found.more

    def check(self) -> None:
        now = snapshot(self.who, self.room)
        by_number = sorted(self.state["messages"].values(), key=lambda one: one["seq"])
        assert by_number == list(now["messages"].values()), self.who.handle
        for what in ("members", "turns", "session", "seq"):
            assert self.state[what] == now[what], (self.who.handle, what)


class Play:
    """A session, everybody in it, and what they do."""

    def __init__(self) -> None:
        self.room = Room.open()
        self.clients = {handle: Client(handle, self.room) for handle in FIRST}
        self.running: Claim | None = None
        self.numbers = count()

    @property
    def id(self) -> UUID:
        return self.room.session.id

    def message(self, pick: int) -> UUID:
        return self.row(pick).id

    def row(self, pick: int) -> Message:
        """One of the newest messages."""
        rows = list(Message.objects.filter(session=self.id).order_by("-seq")[:6])
        if not rows:
            raise Hidden
        return rows[pick % len(rows)]

    def author(self, pick: int) -> Viewer:
        row = self.row(pick)
        if row.person is None:
            raise Hidden
        return person(row.person.handle.spelled)

    def text(self) -> str:
        return f"text {next(self.numbers)}"

    def post(self, who: str, pick: int, audience: Any) -> None:
        more = {"dispatch": "future_turn"} if audience == "agent:scout" else {}
        self.room.say(who, self.text(), audience, **more)

    def steer(self, who: str, pick: int, audience: Any) -> None:
        self.room.say(who, self.text(), "active_agent", delivery="steer")

    def reply(self, who: str, pick: int, audience: Any) -> None:
        self.room.say(who, self.text(), None, reply_to=self.message(pick))

    def edit(self, who: str, pick: int, audience: Any) -> None:
        edit(self.author(pick), self.message(pick), self.text())

    def delete(self, who: str, pick: int, audience: Any) -> None:
        delete(person(who), self.message(pick), "a reason")

    def reclassify(self, who: str, pick: int, audience: Any) -> None:
        said = audience or "participants"
        dispatch = "future_turn" if said == "agent:scout" else ""
        who = self.author(pick).handle if self.row(pick).audience == "participant" else who
        reclassify(person(who), self.message(pick), said, "a reason", confirm=True, dispatch=dispatch)

    def supersede(self, who: str, pick: int, audience: Any) -> None:
        supersede(person(who), self.message(pick))

    def resend(self, who: str, pick: int, audience: Any) -> None:
        resend(self.author(pick), self.message(pick))

    def begin(self, who: str, pick: int, audience: Any) -> None:
        self.running = self.running or claim(self.room.seat("mirror").id)
        collect(self.id)

    def answer(self, who: str, pick: int, audience: Any) -> None:
        if self.running is not None:
            with suppress(LeaseLost):
                say.answer(self.running, self.text())
            self.running = None
        collect(self.id)

    def fail(self, who: str, pick: int, audience: Any) -> None:
        if self.running is not None:
            with suppress(LeaseLost):
                say.fail(self.running, "provider_auth")
            self.running = None
        collect(self.id)

    def take(self, who: str, pick: int, audience: Any) -> None:
        take(agent("scout"), self.room.session, pick % 3)

    def scout(self, who: str, pick: int, audience: Any) -> None:
        self.room.say(agent("scout"), self.text(), audience or "everyone")

    def scout_replies(self, who: str, pick: int, audience: Any) -> None:
        self.room.say(agent("scout"), self.text(), None, reply_to=self.message(pick))

    def stop(self, who: str, pick: int, audience: Any) -> None:
        stop(person(who), self.room.session, None if pick % 2 else "session")

    def afresh(self, who: str, pick: int, audience: Any) -> None:
        fresh_start(person(who), self.room.session)

    def role(self, who: str, pick: int, audience: Any) -> None:
        if Membership.objects.filter(session=self.id, person__handle__spelled="vic", left_at=None).exists():
            made(self.room, "vic", ("viewer", "member", "guest")[pick % 3])

    def configure(self, who: str, pick: int, audience: Any) -> None:
        wanted = (
            {"title": self.text()},
            {"active_agent": "scout"},
            {"active_agent": "mirror"},
            {"answers": "participants"},
        )
        configure(person("alex"), self.room.session, **wanted[pick % len(wanted)])

    def come(self, who: str, pick: int, audience: Any) -> None:
        if LATER not in self.clients:
            made(self.room, LATER, "member")
            self.clients[LATER] = Client(LATER, self.room)

    def go(self, who: str, pick: int, audience: Any) -> None:
        if self.clients.pop("gus", None) is not None:
            put_out(self.room, "gus")

    def follow(self, who: str, pick: int, audience: Any) -> None:
        if who in self.clients:
            self.clients[who].follow()


DEEDS: list[Callable[..., None]] = [
    Play.post, Play.steer, Play.reply, Play.edit, Play.delete, Play.reclassify, Play.supersede, Play.resend,
    Play.begin, Play.answer, Play.fail, Play.take, Play.scout, Play.scout_replies, Play.stop, Play.afresh, Play.role,
    Play.configure, Play.come, Play.go, Play.follow,
]  # fmt: skip
#: The commonest thing is to say something; what is done to it comes next.
WEIGHTS = [12 if deed is Play.post else 3 if deed in DEEDS[1:11] else 1 for deed in DEEDS]
STEPS = 40


@pytest.mark.django_db
@settings(
    max_examples=25, derandomize=True, deadline=None, database=None, phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(st.integers(0, 2**32))
def test_what_was_fetched_and_followed_is_what_is_fetched_now(seed):
    chance = Random(seed)
    with transaction.atomic():
        play = Play()
        for deed in chance.choices(DEEDS, WEIGHTS, k=STEPS):
            who, pick = chance.choice([*FIRST, LATER]), chance.randrange(12)
            with suppress(Refusal, Forbidden, Hidden), transaction.atomic():
                deed(play, who, pick, chance.choice(AUDIENCES))
        for client in play.clients.values():
            client.follow()
            client.check()
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_the_check_can_see():
    """A client that was not told of one frame is found out."""
    play = Play()
    message = play.room.say("alex", "one", "active_agent")
    clients = [play.clients[who] for who in FIRST]
    edit(person("alex"), message.id, "two")
    for client in clients:
        client.follow()
        client.check()
        told = next(frame for frame in changes.to(client.who, play.room.session, 0).frames if frame.kind == "message")
        client.state["messages"][message.id]["text"] = "one"
        with pytest.raises(AssertionError):
            client.check()
        apply(client.state, json.loads(json.dumps(_json(frame_out(told)))))
        assert client.state["messages"][message.id]["text"] == "two"


@pytest.mark.django_db
def test_a_turn_ends_for_all_in_the_same_words():
    play = Play()
    play.room.say("alex", "a question", "active_agent")
    play.begin("", 0, None)
    row = Turn.objects.get()
    play.stop("alex", 1, None)
    row.refresh_from_db()
    assert row.state == "stopped"
    assert turns.AGENTS == "agents"
    for client in play.clients.values():
        client.follow()
        client.check()
