"""The REST face: its shapes, its errors, who gets in."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.test import Client

from messaging.actions.open_session import open_session
from messaging.mailbox.models import Seat
from messaging.roster.models import Account, Agent, Person, Session, Token
from messaging.transcript.models import Message
from tests.cast import Room, agent, bearer

pytestmark = pytest.mark.django_db
API = "/api/v1"


@pytest.fixture
def room():
    return Room.open()


class Caller:
    """A client with a token."""

    def __init__(self, handle):
        self.client, self.headers = Client(), bearer(handle)

    def get(self, path, **query):
        return self.client.get(API + path, query, headers=self.headers)

    def send(self, path, body, method="post"):
        raw = body if isinstance(body, str | bytes) else json.dumps(body)
        return self.client.generic(method.upper(), API + path, raw, "application/json", headers=self.headers)

    def post(self, text="hello", audience="participants", **more):
        return self.send("/sessions/welcome/messages", {"text": text, "audience": audience, **more})


def test_me_is_the_handle(room):
    assert Caller("alex").get("/me").json() == {"id": "alex", "kind": "human", "name": "Alex"}
    assert Caller("scout").get("/me").json() == {"id": "scout", "kind": "agent", "name": "Scout"}


def test_a_post_answers_201_with_the_message_and_a_repeat_200_with_the_same(room):
    alex = Caller("alex")
    first, again = (alex.post("once", "active_agent", client_key="k") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    assert {key: again.json()[key] for key in ("id", "seq", "text", "created_at")} == {
        key: first.json()[key] for key in ("id", "seq", "text", "created_at")
    }
    assert set(first.json()) == {
        "id", "seq", "session", "author", "text", "audience", "targets", "to", "compat", "on_behalf_of", "reply_to",
        "answers", "mentions", "source", "created_at", "edited_at", "deleted_at", "ever_delivered", "deliveries",
            "revision", "turn", "dispatch", "child", "unheard",
    }  # fmt: skip
    assert alex.post("twice", "active_agent", client_key="k").status_code == 409


def test_who_names_an_agent_that_does_not_hear_it_is_told_so(room):
    alex, said = Caller("alex"), "@mirror and @Scout, @sam: look"
    first, again = (alex.post(said, "participants", client_key="k").json() for _ in range(2))
    assert first["unheard"] == again["unheard"] == ["mirror", "scout"]
    assert alex.post(said, "active_agent").json()["unheard"] == ["scout"]
    assert alex.post(said, "agent:scout", dispatch="future_turn").json()["unheard"] == ["mirror"]
    assert alex.post(said, "everyone").json()["unheard"] == []
    assert alex.post("@xan, hello").json()["unheard"] == []
    assert room.say(agent("scout"), "@scout to @mirror").unheard == ["mirror"]


@pytest.mark.parametrize("consulted", ["consult", "child_session"])
def test_who_is_asked_elsewhere_is_not_named_in_vain(room, consulted):
    made = {"handle": "archivist", "kind": "hosted", "provider": "mirror"}
    assert Caller("alex").send("/agents", made).status_code == 201
    assert Caller("alex").send("/sessions/welcome/members", {"handle": "archivist"}).status_code == 201
    answer = Caller("alex").post("@archivist, look", "agent:archivist", dispatch=consulted)
    assert (answer.status_code, answer.json()["unheard"]) == (201, [])


@pytest.mark.parametrize(
    ("audience", "stored"),
    [("participants", "participants"), ("everyone", "everyone"), ("participant:sam", "participant:sam"),
     (["participant:sam", "participant:mo"], ["participant:sam", "participant:mo"]), (["participant:sam"], "participant:sam")],
)  # fmt: skip
def test_audiences_as_the_contract_writes_them(room, audience, stored):
    assert Caller("alex").post("hi", audience).json()["audience"] == stored


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": 7, "audience": "participants"}, "text"),
        ({"audience": "participants"}, "text"),
        ({"text": "hi", "audience": 7}, "audience"),
        ({"text": "hi", "audience": []}, "audience"),
        ({"text": "hi", "audience": "all"}, "audience"),
        ({"text": "hi", "audience": "system"}, "audience"),
        ({"text": "hi", "audience": "participants", "author": "mo"}, "author"),
        ({"text": "hi", "audience": "participants", "from_kind": "human"}, "from_kind"),
        ({"text": "hi", "audience": "participants", "reply_to": "no id"}, "reply_to"),
        ({"text": "hi", "audience": "participants", "client_key": 5}, "client_key"),
        ({"text": "hi", "audience": "participants", "client_key": "a\x00"}, "client_key"),
        ({"text": "a\x00b", "audience": "participants"}, "text"),
        ({"text": "\ud800", "audience": "participants"}, "text"),
        ({"text": "hi", "audience": "participants", "source": {"more": "x"}}, "source.more"),
        ({"text": "hi", "audience": "participants", "source": {"client": "\ud800"}}, "source"),
        ({"text": "hi", "audience": "participants", "on_behalf_of": "a b"}, "on_behalf_of"),
        ({"text": "hi", "audience": "participants", "mentions": ["sam"]}, "mentions"),
        ([], "body"),
        ("{", "body"),
        ('"text"', "body"),
        (b"\xff\xfe", "body"),
        ("[" * 5000, "body"),
    ],
)
def test_a_fault_of_shape_is_422_and_names_its_field(room, body, field):
    response = Caller("alex").send("/sessions/welcome/messages", body)
    assert response.status_code == 422, response.content
    assert response.json()["field"].startswith(field)
    assert set(response.json()) == {"code", "detail", "field"}
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [("/agents", {"handle": "bot", "kind": "connected", "settings": {"a": ["x\x00"]}}, "settings"),
     ("/agents", {"handle": "bot", "kind": "connected", "settings": {"a\ud800": 1}}, "settings"),
     ("/agents", {"handle": "bot", "kind": "connected", "name": "\x00"}, "name"),
     ("/people", {"handle": "a\x00"}, "handle"), ("/sessions/welcome/members", {"handle": "\x00"}, "handle"),
     *(("/agents", '{"handle": "bot", "kind": "connected", "settings": {"a": NUMBER}}'.replace("NUMBER", number), "settings")
       for number in ("1e999", "NaN", "-Infinity")),
     ("/agents", '{"handle": "bot", "kind": "connected", "settings": {"a": ' + "[" * 200 + "]" * 200 + "}}", "settings")],
)  # fmt: skip
def test_no_field_takes_characters_or_depths_that_cannot_be_kept(room, path, body, field):
    response = Caller("alex").send(path, body)
    assert (response.status_code, response.json()["field"].split(".")[0]) == (422, field)


@pytest.mark.parametrize("path", ["/sessions/%00", "/sessions/welcome/members/a%00", "/messages/%00", "/me?x=%00"])
def test_an_address_with_a_nul_is_nowhere(room, path):
    assert Caller("alex").send(path, "", "get").status_code == 404


def test_text_over_its_bound_is_413(room):
    assert Caller("alex").post("a" * 65537).status_code == 413
    assert Caller("alex").post("a" * 8193, "active_agent").status_code == 413
    assert Caller("alex").post("a" * 8192, "active_agent").status_code == 201


def test_a_body_over_the_servers_bound_is_413(room):
    assert Caller("alex").post("a" * 2_000_000).status_code == 413


def test_too_many_questions_answer_429_with_a_time(room):
    alex = Caller("alex")
    answers = [alex.post("hi", "active_agent") for _ in range(17)]
    assert [one.status_code for one in answers] == [201] * 16 + [429]
    assert int(answers[-1]["Retry-After"]) >= 1


def test_a_closed_session_is_closed_to_all(room):
    message = room.say("alex", "before")
    Session.objects.filter(id=room.session.id).update(closed_at=message.created_at)
    for path in ("/sessions/welcome", "/sessions/welcome/messages", f"/messages/{message.id}"):
        assert Caller("alex").get(path).status_code == 404
    assert Caller("alex").post("anybody?").status_code == 404


def routes(session, message):
    return [
        ("get", f"/sessions/{session}"), ("patch", f"/sessions/{session}"), ("get", f"/sessions/{session}/members"),
        ("post", f"/sessions/{session}/members"), ("patch", f"/sessions/{session}/members/sam"),
        ("delete", f"/sessions/{session}/members/sam"), ("get", f"/sessions/{session}/messages"),
        ("post", f"/sessions/{session}/messages"), ("get", f"/sessions/{session}/changes"),
        ("get", f"/sessions/{session}/turns"), ("get", f"/messages/{message}"), ("get", f"/messages/{message}/history"),
    ]  # fmt: skip


BODIES = {
    "post": {"text": "hi", "audience": "participants", "handle": "xan"},
    "patch": {"title": "Mine", "role": "owner"},
}


def body_for(method, path):
    wanted = {"messages": ("text", "audience"), "members": ("handle",), "sam": ("role",)}
    keys = wanted.get(path.rsplit("/", 1)[1], ("title",))
    return {key: BODIES[method][key] for key in keys} if method in BODIES else {}


def test_hidden_and_absent_answer_alike_on_every_route(room):
    message = room.say("alex", "for the room")
    xan = Caller("xan")
    for real, absent in zip(routes(room.session.id, message.id), routes(uuid4(), uuid4()), strict=True):
        answers = [xan.send(path, body_for(method, path), method) for method, path in (real, absent)]
        assert [one.status_code for one in answers] == [404, 404], real
        assert answers[0].json() == answers[1].json(), real


def test_the_same_routes_answer_a_member(room):
    message = room.say("alex", "for the room")
    alex = Caller("alex")
    codes = {path: alex.send(path, body_for(method, path), method).status_code
             for method, path in routes(room.session.id, message.id) if method != "delete"}  # fmt: skip
    assert set(codes.values()) <= {200, 201}


def test_without_a_token_every_route_answers_401(room):
    message = room.say("alex", "for the room")
    for method, path in [*routes(room.session.id, message.id), ("get", "/me"), ("get", "/people"), ("get", "/agents")]:
        response = Client().generic(method.upper(), API + path, "{}", "application/json")
        assert (response.status_code, response.json()["code"]) == (401, "not_authenticated"), path


@pytest.mark.parametrize("spoil", ["revoked", "disabled", "wrong", "nonsense"])
def test_a_spoilt_credential_lets_nobody_in(room, spoil):
    sam = Caller("sam")
    assert sam.get("/me").status_code == 200
    if spoil == "revoked":
        from django.utils import timezone

        Token.objects.update(revoked_at=timezone.now())
    elif spoil == "disabled":
        Account.objects.filter(username="sam").update(is_active=False)
    else:
        sam.headers = {"Authorization": {"wrong": "Bearer ear_x", "nonsense": "Basic \x7f"}[spoil]}
    assert sam.get("/me").status_code == 401


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer ear_wrong"}, {"Authorization": "Bearer "}])
def test_a_change_without_a_good_token_is_401_and_says_nothing_of_cookies(room, headers):
    strict = Client(enforce_csrf_checks=True)
    for path in ("/agents", "/sessions/welcome/messages"):
        answer = strict.post(API + path, "{}", "application/json", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated"), path


def test_a_disabled_agents_token_lets_nobody_in(room):
    scout = Caller("scout")
    Agent.objects.filter(handle__spelled="scout").update(enabled=False)
    assert scout.get("/me").status_code == 401


def signed_in(handle, **more):
    client = Client(**more)
    client.force_login(Account.objects.get(username=handle))
    return client


def test_the_browsers_cookie_reads_and_changes_only_with_csrf(room):
    client = signed_in("sam", enforce_csrf_checks=True)
    assert client.get(f"{API}/me").json()["id"] == "sam"
    body = json.dumps({"text": "hi", "audience": "participants"})
    path = f"{API}/sessions/welcome/messages"
    assert client.post(path, body, content_type="application/json").status_code in (401, 403)
    assert not Message.objects.exists()
    client.get("/s/welcome/")
    csrf = client.cookies["earshot_csrf"].value
    assert client.post(path, body, content_type="application/json", headers={"X-CSRFToken": csrf}).status_code == 201


def test_every_changing_route_needs_csrf_with_a_cookie(room):
    from collab.api.api import api

    client = signed_in("alex", enforce_csrf_checks=True)
    tried = 0
    for _, router in api._routers:
        for path, view in router.path_operations.items():
            url = API + path.replace("{session}", "welcome").replace("{handle}", "sam").replace(
                "{message}", str(uuid4())
            )
            for operation in view.operations:
                for method in set(operation.methods) - {"GET", "HEAD", "OPTIONS"}:
                    response = client.generic(method, url, "{}", content_type="application/json")
                    assert response.status_code in (401, 403), (method, path, response.status_code)
                    tried += 1
    assert tried >= 6


def test_a_session_is_opened_by_its_owner_with_its_agent_seated(room):
    made = Caller("sam").send("/sessions", {"title": "Plans", "slug": "plans", "active_agent": "mirror"})
    assert (made.status_code, made.json()["active_agent"], made.json()["role"]) == (201, "mirror", "owner")
    assert Caller("sam").get("/sessions/plans").status_code == 200
    assert Caller("alex").get("/sessions/plans").status_code == 404


def test_a_session_that_nobody_names_waits_for_a_name(room):
    made = Caller("sam").send("/sessions", {"slug": "plans", "active_agent": "mirror"})
    assert (made.status_code, made.json()["title"]) == (201, "New session")


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [({"title": "A", "slug": "welcome"}, 409, "slug"), ({"title": "A", "slug": "open"}, 422, "slug"),
     ({"title": "A", "slug": "a/b"}, 422, "slug"), ({"title": " "}, 422, "title"),
     ({"title": "a\x00"}, 422, "title"), ({"title": "A", "active_agent": "nobody"}, 422, "active_agent")],
)  # fmt: skip
def test_a_session_that_cannot_be(room, body, status, field):
    response = Caller("alex").send("/sessions", body)
    assert (response.status_code, response.json()["field"]) == (status, field)


def test_a_session_changes_its_title_and_its_agent(room):
    alex = Caller("alex")
    assert alex.send("/sessions/welcome", {"active_agent": None}, "patch").json()["active_agent"] is None
    assert alex.send("/sessions/welcome", {"active_agent": "scout"}, "patch").json()["active_agent"] == "scout"
    assert alex.send("/sessions/welcome", {"title": "Home"}, "patch").json()["active_agent"] == "scout"
    assert alex.send("/sessions/welcome", {"active_agent": "sam"}, "patch").json()["field"] == "active_agent"
    assert Caller("sam").send("/sessions/welcome", {"title": "Mine"}, "patch").status_code == 403


@pytest.mark.parametrize(
    ("settings", "field"),
    [({"model": "m"}, "settings.key_env"), ({"key_env": "A_API_KEY"}, "settings.model"),
     ({"model": "m", "base_url": "https://models.example.org/v1"}, "settings.key_env"),
     ({"model": "m", "key_env": "sk-hidden"}, "settings.key_env"), ({"model": "m", "x" * 99: 1}, "settings." + "x" * 55)],
)  # fmt: skip
def test_an_agent_whose_model_could_not_be_called_is_refused_by_the_setting_and_keeps_no_handle(room, settings, field):
    body = {"handle": "thinker", "kind": "hosted", "provider": "openai", "settings": settings}
    refused = Caller("alex").send("/agents", body)
    assert (refused.status_code, refused.json()["field"]) == (422, field)
    assert "sk-hidden" not in refused.content.decode()
    wanted = {"model": "m", "base_url": "https://models.example.org/v1", "key_env": ""}
    assert Caller("alex").send("/agents", body | {"settings": wanted}).status_code == 201


def test_only_who_keeps_the_house_adds_people_and_agents(room):
    for path, body in (("/people", {"handle": "ada"}), ("/agents", {"handle": "bot", "kind": "connected"})):
        assert Caller("sam").send(path, body).status_code == 403
        assert Caller("scout").send(path, body).status_code == 404
        assert Caller("alex").send(path, body).status_code == 201
        again = Caller("alex").send(path, body)
        assert (again.status_code, again.json()["field"]) == (409, "handle")


@pytest.mark.django_db(databases=["default", "agents"], transaction=True)
class TestAgents:
    """Agents see their own mailbox, by their own numbers, and no trace of anything else."""

    def test_the_list_is_the_seats_mailbox(self, room):
        room.say("alex", "between us")
        shown = room.say("alex", "for scout", "agent:scout", dispatch="future_turn")
        page = Caller("scout").get("/sessions/welcome/messages").json()
        assert [(item["id"], item["seq"], item["text"]) for item in page["items"]] == [(shown.id, 1, "for scout")]
        assert "between us" not in json.dumps(page)

    def test_numbers_have_no_gaps_whatever_people_said_between(self, room):
        for n in range(3):
            room.say("alex", f"between us {n}")
            room.say("alex", f"for all {n}", "everyone")
        scout = Caller("scout")
        scout.post("mine", "participants")
        items = scout.get("/sessions/welcome/messages").json()["items"]
        assert sorted(item["seq"] for item in items) == [1, 2, 3, 4]

    def test_pages_by_the_seats_own_numbers(self, room):
        for n in range(5):
            room.say("alex", str(n), "everyone")
        scout = Caller("scout")
        first = scout.get("/sessions/welcome/messages", after=0, limit=2).json()
        second = scout.get("/sessions/welcome/messages", after=first["next"], limit=10).json()
        assert [item["text"] for item in (*first["items"], *second["items"])] == ["0", "1", "2", "3", "4"]
        assert second["next"] is None

    def test_only_what_is_shown_counts_as_delivered(self, room):
        said = [room.say("alex", str(n), "everyone") for n in range(5)]
        scout = Caller("scout")
        scout.get("/sessions/welcome/messages", before=1)
        assert [room.delivery(one, "scout").state for one in said] == ["queued"] * 5
        scout.get("/sessions/welcome/messages", after=0, limit=2)
        assert [room.delivery(one, "scout").state for one in said] == ["delivered"] * 2 + ["queued"] * 3
        scout.get("/sessions/welcome/messages", after=0, limit=2)
        assert [room.delivery(one, "scout").state for one in said] == ["delivered"] * 2 + ["queued"] * 3
        scout.get("/sessions/welcome/messages", after=1, limit=2)
        assert [room.delivery(one, "scout").state for one in said] == ["delivered"] * 3 + ["queued"] * 2

    def test_its_own_post_shows_no_number_of_the_session_and_no_other_seat(self, room):
        room.say("alex", "between us")
        made = Caller("scout").post("to all", "everyone").json()
        assert (made["seq"], made["deliveries"], made["ever_delivered"]) == (1, [], False)

    def test_what_is_for_people_does_not_exist_for_it(self, room):
        message = room.say("alex", "for all", "everyone")
        scout = Caller("scout")
        for path in ("/sessions/welcome/members", "/sessions/welcome/changes", "/sessions/welcome/turns", "/people",
                     "/agents", f"/messages/{message.id}", f"/messages/{message.id}/history"):  # fmt: skip
            assert scout.get(path).status_code == 404, path

    def test_without_a_seat_there_is_no_session(self, room):
        open_session(Person.objects.get(handle__spelled="alex"), title="Elsewhere", slug="elsewhere")
        assert Caller("scout").get("/sessions/elsewhere/messages").status_code == 404

    def test_a_hosted_agent_reads_only_what_its_turns_were_shown(self, room):
        room.say("alex", "waiting", "active_agent")
        assert Caller("mirror").get("/sessions/welcome/messages").json()["items"] == []
        assert Seat.objects.get(handle="mirror").shown == 0

    def test_from_kind_follows_the_credential(self, room):
        """F03."""
        made = Caller("scout").post("hi", "participants", on_behalf_of="alex").json()
        assert (made["author"]["kind"], made["on_behalf_of"]) == ("agent", "alex")


def test_history_and_changes_speak_of_the_same_steps(room):
    message = room.say("alex", "a question", "active_agent")
    sam = Caller("sam")
    history = sam.get(f"/messages/{message.id}/history").json()["items"]
    frames = sam.get("/sessions/welcome/changes", after=message.seq).json()
    assert [row["state"] for row in history] == ["accepted", "queued"]
    assert [one["delivery"]["disposition"] for one in frames["items"]] == ["accepted", "queued"]
    assert frames["next"] == message.seq + 2
    assert frames["more"] is False


@pytest.mark.parametrize(("query", "field"), [({"limit": 0}, "limit"), ({"limit": 201}, "limit"), ({"after": -1}, "after"),
                                              ({"after": "x"}, "after"), ({"filter": "mine"}, "filter"), ({"after": 2**64}, "after"),
                                              ({"unknown": 1}, "unknown")])  # fmt: skip
def test_queries_out_of_shape(room, query, field):
    response = Caller("alex").get("/sessions/welcome/messages", **query)
    assert (response.status_code, response.json()["field"]) == (422, field)


def test_health_readiness_and_metrics(room):
    room.say("alex", "a very secret text")
    client = Client()
    assert client.get("/healthz").status_code == 200
    metrics = client.get("/metrics").content.decode()
    assert 'earshot_messages_total{audience="participants",author="human"}' in metrics
    assert "a very secret text" not in metrics
    assert "alex" not in metrics


def test_the_openapi_document_names_the_routes(room):
    paths = Client().get(f"{API}/openapi.json").json()["paths"]
    assert f"{API}/sessions/{{session}}/messages" in paths
    assert agent("scout").handle == "scout"
