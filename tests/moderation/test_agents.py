"""The page of an agent: added and changed by its form, tried, taken out of use; the one switch for all of them."""

from __future__ import annotations

import pytest
from django.contrib.messages import get_messages
from django.utils import timezone

from messaging.actions import audit
from messaging.actions.change_agent import change_agent
from messaging.actions.collect import collect
from messaging.actions.enrol import add_agent
from messaging.domain.dispatch import Mode
from messaging.mailbox import say, served, usage
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Seat, Source
from messaging.roster.models import Account, Agent, Installation, Person, Session
from messaging.transcript.models import AuditEntry
from tests.cast import Room
from tests.moderation.test_admin import browser, path

pytestmark = pytest.mark.django_db
ADD = path(Agent, "add")
ALL = [str(mode) for mode in Mode]
GIVEN = {
    "handle": "thinker", "name": "Thinker", "kind": "hosted", "provider": "openai", "model": "m",
    "key_env": "ACME_API_KEY", "instructions": "Be brief.", "context_tokens": "8000", "max_tokens": "500",
    "modes": ALL, "namespaces": "", "turns_a_day": "20", "price_out": "2.5",
}  # fmt: skip


@pytest.fixture
def room():
    audit.forget()
    return Room.open()


def row(handle: str = "thinker") -> Agent:
    return Agent.objects.get(handle__spelled=handle)


def page_of(agent: Agent) -> str:
    return str(path(Agent, agent.pk, "change"))


def thinker(**settings) -> Agent:
    owner = Person.objects.get(handle__spelled="alex")
    known = {"model": "m", "key_env": "ACME_API_KEY"} | settings
    return add_agent("thinker", kind="hosted", name="Thinker", provider="openai", settings=known, owner=owner)


class TestAdding:
    def test_each_field_becomes_what_the_agent_is(self, room):
        owner = Person.objects.get(handle__spelled="sam")
        answer = browser("alex").post(ADD, GIVEN | {"owner": owner.pk, "tools": "recall: allowed, peers: denied"})
        assert answer.status_code == 302
        made = row()
        assert made.settings == {
            "model": "m", "key_env": "ACME_API_KEY", "instructions": "Be brief.", "context_tokens": 8000,
            "max_tokens": 500, "price_out": 2.5,
        }  # fmt: skip
        assert (made.modes, made.namespaces, made.turns_a_day, made.tokens_a_day) == (None, None, 20, None)
        assert (made.tools, made.owner) == ({"recall": "allowed", "peers": "denied"}, owner)
        assert AuditEntry.objects.get(verb="agent", about=made.id).actor == "alex"

    @pytest.mark.parametrize(
        ("change", "field", "words"),
        [
            ({"model": ""}, "model", "Is needed: the model"),
            ({"key_env": ""}, "key_env", "Is needed: the name of the variable"),
            ({"key_env": "sk-secret"}, "key_env", "never the key itself"),
            ({"key_env": "", "key_file": "/etc/shadow"}, "key_file", "whole path of a file"),
            ({"base_url": "ftp://h"}, "base_url", "http://"),
            ({"base_url": "http://sam:pass@h"}, "base_url", "no user or password"),
            ({"max_tokens": "-1"}, "max_tokens", "whole number"),
            ({"turns_a_day": "0"}, "turns_a_day", "at least 1"),
            ({"namespaces": "two words"}, "namespaces", "letters"),
            ({"tools": "recall"}, "tools", "Takes names of tools"),
            ({"handle": "mirror"}, "handle", "is taken"),
            ({"handle": "no spaces"}, "handle", "letters"),
            ({"handle": ""}, "handle", "required"),
            ({"kind": "connected"}, "provider", "hosted agents"),
            ({"provider": "", }, "provider", "need one"),
        ],
    )  # fmt: skip
    def test_what_does_not_fit_is_said_beside_its_field_and_nothing_is_kept(self, room, change, field, words):
        before = Agent.objects.count()
        answer = browser("alex").post(ADD, GIVEN | change)
        assert answer.status_code == 200
        assert words in " ".join(answer.context["adminform"].form.errors[field])
        assert Agent.objects.count() == before

    def test_a_server_that_wants_no_key_is_said_to(self, room):
        away = {"key_env": "", "base_url": "https://models.example.org/v1"}
        assert browser("alex").post(ADD, GIVEN | away).status_code == 200
        assert browser("alex").post(ADD, GIVEN | away | {"no_key": "on"}).status_code == 302
        assert row().settings["key_env"] == ""

    def test_one_that_runs_elsewhere_has_no_model(self, room):
        given = {"handle": "runner", "kind": "connected", "provider": "", "modes": ALL}
        assert browser("alex").post(ADD, given).status_code == 302
        assert (row("runner").kind, row("runner").name, row("runner").settings) == ("connected", "runner", {})


class TestChanging:
    def test_the_form_shows_what_is_kept_and_saves_the_same(self, room):
        agent = thinker(instructions="Be brief.", timeout=9.5)
        form = browser("alex").get(page_of(agent)).context["adminform"].form
        as_it_stands = {name: value for name, value in form.initial.items() if value not in (None, "", False)}
        as_it_stands["owner"] = agent.owner.pk
        assert browser("alex").post(page_of(agent), as_it_stands).status_code == 302
        assert row().settings == agent.settings
        assert not AuditEntry.objects.filter(detail__change="settings").exists()

    def test_a_change_reaches_its_seats_and_handle_and_kind_stay(self, room):
        mirror = row("mirror")
        given = {"handle": "other", "kind": "connected", "name": "Glass", "provider": "mirror", "pause": "0.5",
                 "modes": ["consult", "advisor"], "owner": mirror.owner.pk}  # fmt: skip
        assert browser("alex").post(page_of(mirror), given).status_code == 302
        seat = room.seat("mirror")
        assert (seat.name, seat.settings, seat.policy["modes"]) == ("Glass", {"pause": 0.5}, ["advisor", "consult"])
        assert row("mirror").kind == "hosted"

    def test_settings_without_a_field_stay(self, room):
        agent = add_agent("player", kind="hosted", provider="scripted", settings={"script": [[]]})
        given = {"name": "Player", "provider": "scripted", "modes": ALL}
        assert browser("alex").post(page_of(agent), given).status_code == 302
        assert (row("player").name, row("player").settings) == ("Player", {"script": [[]]})

    @pytest.mark.parametrize("handle", ["mo", "sam", "gus"])
    def test_who_is_no_staff_neither_sees_nor_changes_it(self, room, handle):
        agent = thinker()
        assert browser(handle).get(page_of(agent)).status_code == 302
        assert browser(handle).post(page_of(agent), GIVEN | {"name": "Else"}).status_code == 302
        assert browser(handle).post(ADD, GIVEN | {"handle": "second"}).status_code == 302
        assert row().name == "Thinker"
        assert not Agent.objects.filter(handle__spelled="second").exists()

    def test_staff_who_may_not_see_agents_are_refused(self, room):
        Account.objects.filter(username="mo").update(is_staff=True)
        assert browser("mo").post(page_of(thinker()), GIVEN | {"name": "Else"}).status_code == 403
        assert browser("mo").post(ADD, GIVEN | {"handle": "second"}).status_code == 403
        assert row().name == "Thinker"

    def test_a_login_of_nobody_does_nothing(self, room):
        Account.objects.create_user("root", is_staff=True, is_superuser=True)
        answer = browser("root").post(ADD, GIVEN)
        assert "belongs to no person" in answer.content.decode()
        assert not Agent.objects.filter(handle__spelled="thinker").exists()


class TestTrying:
    def test_it_asks_where_nobody_else_hears_and_leads_there(self, room):
        answer = browser("alex").post(path(Agent, row("mirror").pk, "try"))
        made = Session.objects.exclude(id=room.session.id).get(active_agent=row("mirror"))
        assert answer.headers["Location"] == f"/s/{made.slug}/"
        held = claim(Seat.objects.get(session=made.id).id)
        assert held is not None
        say.answer(held, "I am here")
        collect(made.id)
        assert "I am here" in browser("alex").get(f"/s/{made.slug}/").content.decode()
        assert browser("mo").get(f"/s/{made.slug}/").status_code == 404

    def test_what_is_refused_is_said(self, room):
        change_agent(None, "mirror", namespaces=["lab"])
        answer = browser("alex").post(path(Agent, row("mirror").pk, "try"))
        assert "does not work in sessions" in " ".join(str(one) for one in get_messages(answer.wsgi_request))
        assert not Delivery.objects.exists()

    def test_nobody_else_may_and_no_link_does(self, room):
        mirror = row("mirror")
        assert browser("mo").post(path(Agent, mirror.pk, "try")).status_code == 302
        assert browser("alex").get(path(Agent, mirror.pk, "try")).status_code == 403
        assert not Delivery.objects.exists()

    def test_it_is_taken_out_of_use_on_its_page_and_back(self, room):
        mirror = row("mirror")
        for name, enabled in (("close", False), ("open", True)):
            assert browser("mo").post(path(Agent, mirror.pk, name)).status_code == 302
            assert row("mirror").enabled is not enabled
            assert browser("alex").post(path(Agent, mirror.pk, name)).status_code == 302
            assert row("mirror").enabled is enabled


class TestWhatItUsedUp:
    def test_turns_tokens_cost_and_a_budget_near_its_end_are_told(self, room):
        change_agent(None, "mirror", turns_a_day=1)
        Agent.objects.filter(handle__spelled="mirror").update(settings={"price_in": 1000, "price_out": 2000})
        room.say("sam", "CANARY-77c", "active_agent")
        held = claim(room.seat("mirror").id)
        assert held is not None
        usage.note(held.seat, usage.ANSWER, 1200, 34, turn=held.turn, attempt=held.n)
        say.answer(held, "CANARY-77c again")
        collect(room.session.id)
        page = browser("alex").get(page_of(row("mirror"))).content.decode()
        for told in (
            "1,200",
            "34",
            "1.2680",
            "finished",
            "Today&#x27;s budget of Alex is used up",
            "1 of 1 turns of Alex",
        ):
            assert told in page
        assert "CANARY-77c" not in page
        assert "budget of Alex is used up" in browser("alex").get("/admin/status/").content.decode()

    def test_nothing_is_said_of_one_that_is_far_from_it(self, room):
        change_agent(None, "mirror", turns_a_day=10)
        room.say("sam", "one", "active_agent")
        assert "1 of 10 turns of Alex" in browser("alex").get(page_of(row("mirror"))).content.decode()
        assert "% of today" not in browser("alex").get("/admin/status/").content.decode()


class TestTheSwitch:
    def test_it_pauses_and_says_so_and_lets_go_on(self, room):
        alex = browser("alex")
        assert alex.post("/admin/pause/").status_code == 302
        assert Installation.paused_since() is not None
        for address in ("/admin/status/", path(Agent), page_of(row("mirror"))):
            assert "agents are paused" in alex.get(address).content.decode()
        waits = room.say("sam", "a question", "active_agent")
        assert room.delivery(waits, "mirror").cleared_at is None
        alex.post("/admin/pause/", {"go_on": "yes"})
        assert Installation.paused_since() is None
        assert room.delivery(waits, "mirror").cleared_at is not None
        assert "agents are paused" not in alex.get("/admin/status/").content.decode().replace(
            "All hosted agents go on", ""
        )

    @pytest.mark.parametrize("handle", ["mo", "sam", "gus"])
    def test_nobody_else_reaches_it_and_no_link_does(self, room, handle):
        assert browser(handle).post("/admin/pause/").status_code == 302
        assert browser("alex").get("/admin/pause/").status_code == 405
        assert Installation.paused_since() is None

    def test_a_login_of_nobody_is_refused(self, room):
        Account.objects.create_user("root", is_staff=True, is_superuser=True)
        assert browser("root").post("/admin/pause/").status_code == 403
        assert Installation.paused_since() is None


class TestSourcesAndPlacement:
    """Choices where there are any; a field without any is not there, and changes nothing."""

    @pytest.fixture
    def there(self, room):
        for name in ("notes", "wiki"):
            Source.objects.create(name=name, transport="folder", settings={"path": "/n"}, asked_at=timezone.now())
        served.install(lambda: frozenset({"", "gpu"}))
        yield
        served.install(None)

    def test_where_there_is_nothing_to_choose_neither_is_there(self, room):
        page = browser("alex").get(ADD).content.decode()
        assert 'name="sources"' not in page
        assert 'name="placement"' not in page
        assert browser("alex").post(ADD, GIVEN | {"sources": ["notes"], "placement": "gpu"}).status_code == 302
        assert (row().sources, row().placement) == (None, "")

    def test_what_is_chosen_is_kept_shown_and_saved_again(self, there):
        given = GIVEN | {"sources": ["wiki", "notes"], "placement": "gpu", "tools": "notes__*: ask, recall: allowed"}
        assert browser("alex").post(ADD, given).status_code == 302
        assert (row().sources, row().placement) == (["wiki", "notes"], "gpu")
        assert row().tools == {"notes__*": "ask", "recall": "allowed"}
        form = browser("alex").get(page_of(row())).context["adminform"].form
        assert (form.initial["sources"], form.initial["placement"]) == (["wiki", "notes"], "gpu")
        assert [value for value, _ in form.fields["placement"].choices] == ["", "gpu"]
        assert browser("alex").post(page_of(row()), GIVEN | {"sources": ["wiki"], "placement": ""}).status_code == 302
        assert (row().sources, row().placement) == (["wiki"], "")

    def test_a_placement_that_nobody_serves_now_stays_a_choice_for_who_has_it(self, there):
        browser("alex").post(ADD, GIVEN | {"placement": "gpu"})
        served.install(lambda: frozenset({""}))
        form = browser("alex").get(page_of(row())).context["adminform"].form
        assert [value for value, _ in form.fields["placement"].choices] == ["", "gpu"]

    @pytest.mark.parametrize(("field", "value"), [("sources", ["nothing"]), ("placement", "elsewhere")])
    def test_what_is_no_choice_is_said_beside_its_field_and_not_kept(self, there, field, value):
        answer = browser("alex").post(ADD, GIVEN | {field: value})
        assert answer.context["adminform"].form.errors[field]
        assert not Agent.objects.filter(handle__spelled="thinker").exists()

    def test_a_key_may_lie_in_the_keyring(self, room):
        assert browser("alex").post(ADD, GIVEN | {"key_env": "", "key_ring": "acme_api_key"}).status_code == 302
        assert row().settings["key_ring"] == "acme_api_key"
        answer = browser("alex").post(page_of(row()), GIVEN | {"key_ring": "acme_api_key"})
        assert "in one place" in " ".join(answer.context["adminform"].form.errors["key_ring"])
