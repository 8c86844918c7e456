"""A session's settings, roles and invitations over REST: what is taken, what is given, what is refused by its field."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.utils import timezone

from collab.api.gives import InvitationOut, RoomOut, SessionOut
from messaging.domain.capability import DEFAULTS, Capability, Role
from messaging.mailbox.models import Source
from messaging.roster.models import Invitation, Session
from tests.cast import Room, bearer

pytestmark = pytest.mark.django_db
API = "/api/v1"
WELCOME = "/sessions/welcome"


@pytest.fixture
def room():
    return Room.open()


class Caller:
    def __init__(self, handle):
        self.client, self.headers = Client(), bearer(handle)

    def get(self, path, **query):
        return self.client.get(API + path, query, headers=self.headers)

    def send(self, path, body=None, method="post"):
        raw = json.dumps(body) if body is not None else ""
        return self.client.generic(method.upper(), API + path, raw, "application/json", headers=self.headers)

    def patch(self, **changes):
        return self.send(WELCOME, changes, "patch")


@pytest.mark.parametrize(("who", "role"), [("alex", "owner"), ("mo", "moderator"), ("sam", "member"), ("vic", "viewer"),
                                           ("gus", "guest"), ("scout", "agent")])  # fmt: skip
def test_each_is_told_its_role_and_what_it_may_do(room, who, role):
    answer = Caller(who).get(WELCOME).json()
    assert set(answer) == set(SessionOut.model_fields)
    assert (answer["role"], answer["roles"], answer["guests_public"]) == (role, None, False)
    assert answer["capabilities"] == sorted(DEFAULTS[Role(role)])


def test_a_list_is_told_and_shows_in_what_each_may_do(room):
    answer = Caller("alex").patch(roles={"viewer": ["stop", "post_human"], "guest": []})
    assert (answer.status_code, answer.json()["roles"]) == (200, {"viewer": ["post_human", "stop"], "guest": []})
    assert Caller("vic").get(WELCOME).json()["capabilities"] == ["post_human", "stop"]
    assert Caller("gus").get(WELCOME).json()["capabilities"] == []
    assert Caller("alex").get(WELCOME).json()["capabilities"] == sorted(Capability)
    assert Caller("alex").patch(roles=None).json()["roles"] is None


def test_all_settings_in_one(room):
    body = {"title": "Home", "guests_public": True, "answers": "participants", "default_audience": "participants"}
    answer = Caller("mo").patch(**body).json()
    assert {name: answer[name] for name in body} == body


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"roles": {"owner": []}}, "roles"),
        ({"roles": {"viewer": ["fly"]}}, "roles.viewer"),
        ({"roles": {"viewer": "post_human"}}, "roles.viewer"),
        ({"roles": ["viewer"]}, "roles"),
        ({"guests_public": "yes"}, "guests_public"),
        ({"guests_public": None}, "guests_public"),
        ({"answers": "agent"}, "answers"),
        ({"default_audience": "everyone"}, "default_audience"),
        ({"closed_at": None}, "closed_at"),
        ({"slug": "other"}, "slug"),
    ],
)
def test_a_value_that_is_none_names_its_field_and_changes_nothing(room, body, field):
    alex = Caller("alex")
    before = alex.get(WELCOME).json()
    answer = alex.patch(**body)
    assert answer.status_code == 422, answer.content
    assert answer.json()["field"].startswith(field)
    assert alex.get(WELCOME).json() == before


def test_the_session_is_told_to_those_who_follow_and_to_nobody_else(room):
    seq = Caller("sam").get(f"{WELCOME}/changes").json()["next"]
    Caller("alex").patch(guests_public=True)
    items = Caller("sam").get(f"{WELCOME}/changes", after=seq).json()["items"]
    assert [item["type"] for item in items] == ["session"]
    assert items[0]["session"]["guests_public"] is True
    assert set(items[0]["session"]) == set(RoomOut.model_fields)
    assert Caller("xan").get(f"{WELCOME}/changes", after=seq).status_code == 404


def test_a_closed_session_is_nowhere(room):
    assert Caller("alex").send(f"{WELCOME}/close").status_code == 204
    for who in ("alex", "sam"):
        assert Caller(who).get(WELCOME).status_code == 404
        assert Caller(who).get("/sessions").json() == []
    assert Caller("alex").send(f"{WELCOME}/close").status_code == 404


class TestInvitations:
    def invited(self, **body):
        return Caller("mo").send(f"{WELCOME}/invitations", body)

    def test_the_code_is_shown_once_and_the_link_leads_to_its_page(self, room):
        made = self.invited(role="viewer", most=2, hours=1).json()
        assert set(made) == {*InvitationOut.model_fields, "code", "link"}
        assert made["link"].endswith(f"/join/{made['code']}")
        assert (made["role"], made["most"], made["used"], made["made_by"]) == ("viewer", 2, 0, "mo")
        listed = Caller("alex").get(f"{WELCOME}/invitations")
        assert made["code"] not in listed.content.decode()
        assert [one["id"] for one in listed.json()] == [made["id"]]

    def test_who_redeems_it_gets_the_session_as_its_own(self, room):
        code = self.invited().json()["code"]
        answer = Caller("xan").send("/invitations/redeem", {"code": code})
        assert (answer.status_code, answer.json()["slug"], answer.json()["role"]) == (200, "welcome", "member")
        assert Caller("xan").get(WELCOME).status_code == 200

    @pytest.mark.parametrize("who", ["sam", "vic", "gus"])
    def test_who_may_not_manage_members_sees_none(self, room, who):
        made = self.invited().json()
        assert Caller(who).get(f"{WELCOME}/invitations").status_code == 403
        assert Caller(who).send(f"/invitations/{made['id']}", method="delete").status_code == 403

    def test_absent_and_anothers_look_alike(self, room):
        made = self.invited().json()
        xan = Caller("xan")
        for name in (made["id"], "00000000-0000-4000-8000-000000000000", "nonsense"):
            assert xan.send(f"/invitations/{name}", method="delete").status_code == 404
        for code in ("nonsense", "", "\N{SNOWMAN}"):
            assert xan.send("/invitations/redeem", {"code": code}).status_code == 404

    @pytest.mark.parametrize(
        ("body", "field"),
        [({"role": "owner"}, "role"), ({"role": "agent"}, "role"), ({"most": 0}, "most"), ({"most": 101}, "most"),
         ({"most": "2"}, "most"), ({"hours": 721}, "hours"), ({"more": 1}, "more")],
    )  # fmt: skip
    def test_a_value_out_of_bounds_names_its_field(self, room, body, field):
        answer = self.invited(**body)
        assert (answer.status_code, answer.json()["field"]) == (422, field)
        assert not Invitation.objects.exists()


def notes() -> None:
    for name in ("notes", "wiki"):
        Source.objects.create(name=name, transport="folder", settings={"path": "/n"}, asked_at=timezone.now())


class TestNamespaceAndSources:
    def test_they_are_set_as_a_session_is_opened_and_changed_afterwards(self, room):
        notes()
        body = {"title": "Lab", "slug": "lab", "namespace": "lab", "sources": ["wiki", "notes"]}
        made = Caller("sam").send("/sessions", body)
        assert (made.status_code, made.json()["namespace"], made.json()["sources"]) == (201, "lab", ["notes", "wiki"])
        changed = Caller("sam").send("/sessions/lab", {"namespace": "", "sources": None}, "patch").json()
        assert (changed["namespace"], changed["sources"]) == ("", None)
        assert Caller("sam").send("/sessions/lab", {"title": "Other"}, "patch").json()["sources"] is None

    @pytest.mark.parametrize("handle", ["sam", "vic", "gus"])
    def test_who_may_not_manage_the_session_changes_neither(self, room, handle):
        for changes in ({"namespace": "lab"}, {"sources": []}):
            assert Caller(handle).patch(**changes).status_code == 403
        answer = Caller("alex").get(WELCOME).json()
        assert (answer["namespace"], answer["sources"]) == ("", None)
        assert Caller("mo").patch(namespace="lab", sources=[]).json()["sources"] == []

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"namespace": "two words"}, "namespace"),
            ({"namespace": "x" * 33}, "namespace"),
            ({"sources": ["nothing"]}, "sources"),
            ({"sources": "notes"}, "sources"),
            ({"sources": ["a\x00"]}, "sources.0"),
        ],
    )
    def test_what_is_none_names_its_field_and_changes_nothing(self, room, body, field):
        for answer in (Caller("alex").patch(**body), Caller("sam").send("/sessions", {"title": "Lab", **body})):
            assert answer.status_code == 422
            assert answer.json()["field"].startswith(field.partition(".")[0])
        assert not Session.objects.filter(title="Lab").exists()
        assert Caller("alex").get(WELCOME).json()["sources"] is None


class TestAnAgentsPolicy:
    def test_sources_and_placement_are_given_and_changed(self, room):
        notes()
        body = {"handle": "thinker", "kind": "hosted", "provider": "mirror", "sources": ["notes"], "placement": "gpu"}
        body |= {"tools": {"notes__*": "ask", "notes__read": "allowed"}}
        made = Caller("alex").send("/agents", body)
        assert made.status_code == 201
        assert {name: made.json()[name] for name in ("sources", "placement", "tools")} == {
            "sources": ["notes"], "placement": "gpu", "tools": {"notes__*": "ask", "notes__read": "allowed"},
        }  # fmt: skip
        assert Caller("alex").send(f"{WELCOME}/members", {"handle": "thinker"}).status_code == 201
        changed = Caller("alex").send("/agents/thinker", {"sources": None, "placement": ""}, "patch").json()
        assert (changed["sources"], changed["placement"]) == (None, "")
        assert (room.seat("thinker").sources, room.seat("thinker").placement) == ([], "")

    @pytest.mark.parametrize(
        ("body", "field"),
        [({"sources": ["nothing"]}, "sources"), ({"placement": "two words"}, "placement"),
         ({"placement": None}, "placement"), ({"tools": {"notes__re*": "ask"}}, "tools")],
    )  # fmt: skip
    def test_what_is_none_names_its_field_and_changes_nothing(self, room, body, field):
        answer = Caller("alex").send("/agents/mirror", body, "patch")
        assert (answer.status_code, answer.json()["field"]) == (422, field)
        assert room.seat("mirror").placement == ""

    @pytest.mark.parametrize("handle", ["mo", "sam", "gus"])
    def test_who_is_no_staff_changes_nothing(self, room, handle):
        assert Caller(handle).send("/agents/mirror", {"placement": "gpu"}, "patch").status_code in (403, 404)
        assert room.seat("mirror").placement == ""
