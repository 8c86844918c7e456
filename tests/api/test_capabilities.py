"""Every operation by every role, on every face: what each answers, and that each refusal is counted and on record.

Owner Alex, moderator Mo, member Sam, viewer Vic, guest Gus, agent Scout; Xan is outside. An agent's token finds nothing
where only people have business (404).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from messaging.actions import audit
from messaging.actions.configure import configure
from messaging.actions.enrol import add_agent
from messaging.actions.invite import invite
from messaging.actions.join import join
from messaging.domain.capability import Capability, Role
from messaging.journal import metrics
from messaging.mailbox.claim import claim
from messaging.roster.models import Account, Agent
from messaging.transcript.models import AuditEntry
from tests.cast import Room, agent, bearer, person
from tests.live.conftest import connect, room  # noqa: F401 -- fixtures

API = "/api/v1"
ROLES = {
    "owner": "alex",
    "moderator": "mo",
    "member": "sam",
    "viewer": "vic",
    "guest": "gus",
    "agent": "scout",
    "nobody": "xan",
}
#: Whose things are another's to each.
OTHER = {"alex": "mo"}


class Place:
    """The demo session with a second connected agent, and somebody who tries something in it."""

    def __init__(self, role: str) -> None:
        audit.forget()
        self.room = Room.open()
        join(self.room.session, add_agent("ranger", kind="connected", name="Ranger"), Role.AGENT)
        self.role, self.who = role, ROLES[role]
        self.client, self.headers = Client(), bearer(self.who)

    def send(self, method: str, path: str, body: object = None) -> int:
        raw = json.dumps(body) if body is not None else ""
        answer = self.client.generic(method, API + path, raw, "application/json", headers=self.headers)
        return answer.status_code

    def said(self, who: str, audience: str) -> str:
        """What somebody said; as far as they may not, the same for people only. Who is outside says nothing."""
        if who == "xan":
            return str(uuid4())
        speaker = agent(who) if who in ("scout", "ranger") else person(who)
        may = audience != "active_agent" or self.may_ask(who)
        return self.room.say(speaker, f"said by {who}", audience if may else "participants").id

    def may_ask(self, who: str) -> bool:
        return who not in ("vic", "gus")

    def own(self, audience: str = "participants") -> str:
        return self.said(self.who, audience)

    def others(self, audience: str = "participants") -> str:
        return self.said(OTHER.get(self.who, "alex"), audience)

    def working(self) -> None:
        """Mirror is at work on a question of Mo's."""
        self.room.say("mo", "a question", "active_agent")
        assert claim(self.room.seat("mirror").id) is not None

    def post(self, audience: str, **more: object) -> int:
        return self.send("POST", "/sessions/welcome/messages", {"text": "hi", "audience": audience, **more})


def steer(place: Place) -> int:
    place.working()
    return place.post("active_agent", delivery="steer")


def stop(scope: str | None) -> Callable[[Place], int]:
    def run(place: Place) -> int:
        place.working()
        return place.send("POST", "/sessions/welcome/stop", {"scope": scope} if scope else None)

    return run


def on_message(
    method: str, deed: str, body: object, *, own: bool, audience: str = "participants"
) -> Callable[[Place], int]:
    def run(place: Place) -> int:
        message = place.own(audience) if own else place.others(audience)
        return place.send(method, f"/messages/{message}{deed}", body)

    return run


def resend(place: Place) -> int:
    message = place.own("active_agent")
    if place.may_ask(place.who):
        place.send("POST", f"/messages/{message}/supersede")
    return place.send("POST", f"/messages/{message}/resend")


def revoke(place: Place) -> int:
    made = invite(person("alex"), place.room.session, "guest")
    return place.send("DELETE", f"/invitations/{made.invitation.id}")


def redeem(place: Place) -> int:
    made = invite(person("alex"), place.room.session, "guest")
    return place.send("POST", "/invitations/redeem", {"code": made.code})


def at(method: str, path: str, body: object = None) -> Callable[[Place], int]:
    return lambda place: place.send(method, path.replace("{me}", place.who), body)


def says(audience: str, **more: object) -> Callable[[Place], int]:
    return lambda place: place.post(audience, **more)


RECLASSIFY = {"audience": "active_agent", "reason": "it concerns the agent", "confirm": True}
WELCOME = "/sessions/welcome"
#: Operation: how it is tried, and what owner, moderator, member, viewer, guest, agent and who is outside are answered.
OPERATIONS: dict[str, tuple[Callable[[Place], int], tuple[int, ...]]] = {
    "say to people": (says("participants"), (201, 201, 201, 201, 201, 201, 404)),
    "ask the active agent": (says("active_agent"), (201, 201, 201, 403, 403, 201, 404)),
    "say without an audience": (at("POST", f"{WELCOME}/messages", {"text": "hi"}), (201, 201, 201, 403, 403, 422, 404)),
    "address an agent": (says("agent:ranger", dispatch="future_turn"), (201, 201, 201, 403, 403, 201, 404)),
    "write directly": (says("participant:mo"), (201, 201, 201, 201, 403, 201, 404)),
    "say to everyone": (says("everyone"), (201, 201, 201, 403, 403, 201, 404)),
    "steer": (steer, (201, 201, 201, 403, 403, 403, 404)),
    "stop": (stop(None), (200, 200, 200, 403, 403, 404, 404)),
    "stop the session's": (stop("session"), (200, 200, 403, 403, 403, 404, 404)),
    "start afresh": (at("POST", f"{WELCOME}/new"), (200, 200, 200, 403, 403, 404, 404)),
    "edit one's own": (on_message("PATCH", "", {"text": "b"}, own=True), (200, 200, 200, 200, 200, 404, 404)),
    "edit another's": (on_message("PATCH", "", {"text": "b"}, own=False), (403, 403, 403, 403, 403, 404, 404)),
    "delete one's own": (on_message("DELETE", "", None, own=True), (200, 200, 200, 200, 200, 404, 404)),
    "delete another's": (on_message("DELETE", "", {"reason": "spam"}, own=False), (200, 200, 403, 403, 403, 404, 404)),
    "reclassify one's own": (on_message("POST", "/reclassify", RECLASSIFY, own=True), (200, 200, 200, 403, 403, 404, 404)),
    "reclassify another's": (on_message("POST", "/reclassify", RECLASSIFY, own=False), (200, 200, 403, 403, 403, 404, 404)),
    "withdraw one's own": (
        on_message("POST", "/supersede", None, own=True, audience="active_agent"), (200, 200, 200, 403, 403, 200, 404)
    ),
    "withdraw another's": (
        on_message("POST", "/supersede", None, own=False, audience="active_agent"), (200, 200, 403, 403, 403, 404, 404)
    ),
    # What viewers and guests say is before no agent, so there is nothing to send again.
    "resend one's own": (resend, (200, 200, 200, 409, 409, 404, 404)),
    "resend another's": (on_message("POST", "/resend", None, own=False), (403, 403, 403, 403, 403, 404, 404)),
    "see members": (at("GET", f"{WELCOME}/members"), (200, 200, 200, 200, 200, 404, 404)),
    "bring somebody in": (
        at("POST", f"{WELCOME}/members", {"handle": "xan", "role": "guest"}), (201, 201, 403, 403, 403, 404, 404)
    ),
    "bring an owner in": (
        at("POST", f"{WELCOME}/members", {"handle": "xan", "role": "owner"}), (201, 403, 403, 403, 403, 404, 404)
    ),
    "change a role": (at("PATCH", f"{WELCOME}/members/gus", {"role": "viewer"}), (200, 200, 403, 403, 403, 404, 404)),
    "change the owner's role": (
        at("PATCH", f"{WELCOME}/members/alex", {"role": "guest"}), (409, 403, 403, 403, 403, 404, 404)
    ),
    "put somebody out": (at("DELETE", f"{WELCOME}/members/ranger"), (204, 204, 403, 403, 403, 404, 404)),
    "leave": (at("DELETE", f"{WELCOME}/members/{{me}}"), (409, 204, 204, 204, 204, 404, 404)),
    "see invitations": (at("GET", f"{WELCOME}/invitations"), (200, 200, 403, 403, 403, 404, 404)),
    "invite": (at("POST", f"{WELCOME}/invitations", {"role": "member"}), (201, 201, 403, 403, 403, 404, 404)),
    "invite a moderator": (
        at("POST", f"{WELCOME}/invitations", {"role": "moderator"}), (201, 403, 403, 403, 403, 404, 404)
    ),
    "revoke an invitation": (revoke, (204, 204, 403, 403, 403, 404, 404)),
    "redeem an invitation": (redeem, (200, 200, 200, 200, 200, 404, 200)),
    "rename the session": (at("PATCH", WELCOME, {"title": "Home"}), (200, 200, 403, 403, 403, 404, 404)),
    "open it to guests": (at("PATCH", WELCOME, {"guests_public": True}), (200, 200, 403, 403, 403, 404, 404)),
    "list what roles may do": (at("PATCH", WELCOME, {"roles": {"guest": []}}), (200, 403, 403, 403, 403, 404, 404)),
    "close the session": (at("POST", f"{WELCOME}/close"), (204, 403, 403, 403, 403, 404, 404)),
    "read": (at("GET", f"{WELCOME}/changes"), (200, 200, 200, 200, 200, 404, 404)),
    "see turns": (at("GET", f"{WELCOME}/turns"), (200, 200, 200, 200, 200, 404, 404)),
    # The installation's owner, as it happens, is the session's.
    "see all people": (at("GET", "/people"), (200, 403, 403, 403, 403, 404, 403)),
    "add a person": (at("POST", "/people", {"handle": "kim"}), (201, 403, 403, 403, 403, 404, 403)),
}  # fmt: skip


def table(*roles: str) -> list[object]:
    """Operation, role and answer, for these roles."""
    found = [(name, dict(zip(ROLES, statuses, strict=True))) for name, (_, statuses) in OPERATIONS.items()]
    return [pytest.param(name, role, told[role], id=f"{name}-{role}") for name, told in found for role in roles]


def counted() -> float:
    return sum(
        sample.value for sample in next(iter(metrics.unauthorized.collect())).samples if sample.name.endswith("_total")
    )


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "role", "status"), table(*(role for role in ROLES if role != "agent")))
def test_what_each_role_of_people_is_answered(name, role, status):
    answered(name, role, status)


# What agents are answered is read by their own connection.
@pytest.mark.django_db(databases=["default", "agents"], transaction=True)
@pytest.mark.parametrize(("name", "role", "status"), table("agent"))
def test_what_agents_are_answered(name, role, status):
    answered(name, role, status)


def answered(name: str, role: str, status: int) -> None:
    place = Place(role)
    before = counted()
    assert OPERATIONS[name][0](place) == status
    refusals = AuditEntry.objects.filter(verb="refused", actor=place.who)
    assert (counted() - before, refusals.count()) == ((1, 1) if status == 403 else (0, 0))
    if status == 403 and "person" not in name and "all people" not in name:
        assert refusals.get().session == place.room.session.id


#: For each capability an operation that takes it and, of what the role is given, nothing else that could be lacking.
TAKES = {
    Capability.POST_HUMAN: "say to people",
    Capability.POST_AGENT: "ask the active agent",
    Capability.DISPATCH_AGENT: "address an agent",
    Capability.DIRECT_MESSAGE: "write directly",
    Capability.RECLASSIFY: "reclassify one's own",
    Capability.SUPERSEDE: "withdraw one's own",
    Capability.STEER: "steer",
    Capability.STOP: "stop",
    Capability.MANAGE_MEMBERS: "bring somebody in",
    Capability.MODERATE: "delete another's",
}


def test_each_capability_but_that_of_exports_which_are_not_built_is_asked_for_somewhere():
    assert set(Capability) - set(TAKES) == {Capability.EXPORT}


@pytest.mark.django_db
@pytest.mark.parametrize("capability", TAKES, ids=str)
def test_what_a_list_takes_from_a_role_is_refused_and_with_it_back_it_is_done(capability):
    deed, _ = OPERATIONS[TAKES[capability]]
    place = Place("moderator")
    whole = [str(one) for one in Capability]
    message = place.own("active_agent")
    configure(person("alex"), place.room.session, roles={"moderator": [one for one in whole if one != capability]})
    # What was said before the right was taken.
    place.own, place.working = lambda audience="participants": message, lambda: None
    assert deed(place) == 403
    assert AuditEntry.objects.get(verb="refused").detail["capability"] == capability
    configure(person("alex"), place.room.session, roles={"moderator": None})
    del place.own, place.working
    assert deed(place) in (200, 201)


#: To whom a post goes, and whether owner, moderator, member, viewer and guest may.
POSTS = {
    "participants": "yyyyy",
    "active_agent": "yyynn",
    "agent:ranger": "yyynn",
    "participant:mo": "yyyyn",
    "everyone": "yyynn",
}
PEOPLE = dict(zip(("alex", "mo", "sam", "vic", "gus"), range(5), strict=True))


def may(who: str, audience: str) -> bool:
    # Nobody writes to themselves; Mo's turn is Alex's.
    return POSTS[audience][PEOPLE[who]] == "y"


@pytest.mark.django_db
@pytest.mark.parametrize("who", PEOPLE)
def test_the_pages_form_answers_as_the_api_does(who):
    place = Place("owner")
    browser = Client()
    browser.force_login(Account.objects.get(username=who))
    for audience in POSTS:
        answer = browser.post("/s/welcome/post", {"text": "hi", "audience": audience, "client_key": str(uuid4())})
        assert answer.status_code == (302 if may(who, audience) else 403), audience
    lacking = sum(not may(who, audience) for audience in POSTS)
    rows = AuditEntry.objects.filter(verb="refused", actor=who, session=place.room.session.id)
    # One for each capability: `everyone` lacks what the active agent does.
    assert rows.count() == len({row.detail["capability"] for row in rows}) == max(0, lacking - 1 if lacking else 0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", PEOPLE)
async def test_the_socket_answers_as_the_api_does(connect, who):  # noqa: F811
    def ranger() -> None:
        audit.forget()
        session = Room.open().session
        join(session, add_agent("ranger", kind="connected"), Role.AGENT)

    await sync_to_async(ranger)()
    socket = await connect(who)
    await socket.until("ready")
    before = counted()
    for audience in POSTS:
        more = {"dispatch": "future_turn"} if audience.startswith("agent:") else {}
        await socket.send(type="post", text="hi", audience=audience, client_key=audience, **more)
        kind = "posted" if may(who, audience) else "error"
        told = (await socket.until(kind))[-1]
        assert told["client_key"] == audience
        assert told.get("code", "no_capability") == "no_capability"
    await socket.send(type="stop")
    allowed = PEOPLE[who] < 3
    told = (await socket.until("stopped" if allowed else "error"))[-1]
    assert told.get("code", "no_capability") == "no_capability"
    refusals = sum(not may(who, audience) for audience in POSTS) + (not allowed)
    assert counted() - before == refusals
    on_record = await sync_to_async(AuditEntry.objects.filter(verb="refused", actor=who).count)()
    assert on_record == max(0, refusals - 1 if refusals else 0)


@pytest.mark.django_db
def test_an_agent_out_of_use_is_nobody():
    place = Place("agent")
    Agent.objects.filter(handle__spelled="scout").update(enabled=False)
    assert place.post("participants") == 401
