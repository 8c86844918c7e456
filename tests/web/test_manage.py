"""Managing a session: by those who may, and by nobody else."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone

from messaging.actions.change_agent import change_agent
from messaging.domain.capability import Capability, Role
from messaging.mailbox.models import Source
from messaging.roster.models import Invitation, Membership, Session
from tests.web.scene import PAGE, source, words

MANAGE = f"{PAGE}manage"
pytestmark = pytest.mark.django_db


def role_of(scene, handle: str) -> str:
    row = Membership.objects.filter(session=scene.session, person__handle__spelled=handle, left_at=None).first()
    return row.role if row else ""


@pytest.mark.parametrize("handle", ["sam", "vic", "gus"])
def test_who_may_not_finds_neither_link_nor_page_nor_deed(scene, browser_of, handle):
    browser = browser_of(handle)
    assert MANAGE not in source(browser.get(PAGE))
    assert browser.get(MANAGE).status_code == 403
    assert browser.post(MANAGE, {"do": "role", "handle": "gus", "role": "member"}).status_code == 403
    assert role_of(scene, "gus") == "guest"


def test_who_may_finds_both(scene, browser_of):
    for handle in ("alex", "mo"):
        assert MANAGE in source(browser_of(handle).get(PAGE))
        assert "Manage Welcome" in words(browser_of(handle).get(MANAGE))


def test_a_role_is_changed_and_a_member_removed_and_brought_in_again(scene, browser_of):
    mo = browser_of("mo")
    assert mo.post(MANAGE, {"do": "role", "handle": "gus", "role": "member"}).status_code == 302
    assert role_of(scene, "gus") == "member"
    assert mo.post(MANAGE, {"do": "remove", "handle": "gus"}).status_code == 302
    assert role_of(scene, "gus") == ""
    assert mo.post(MANAGE, {"do": "add", "handle": "gus", "role": "viewer"}).status_code == 302
    assert role_of(scene, "gus") == "viewer"


def test_a_moderator_is_offered_no_owner_and_makes_none(scene, browser_of):
    page = source(browser_of("mo").get(MANAGE))
    assert '<option value="owner"' not in page
    assert 'Role<span class="unseen"> of Alex' not in page
    assert 'Role<span class="unseen"> of Gus' in page
    assert '<option value="owner"' in source(browser_of("alex").get(MANAGE))
    assert browser_of("mo").post(MANAGE, {"do": "role", "handle": "sam", "role": "owner"}).status_code == 403
    assert browser_of("mo").post(MANAGE, {"do": "remove", "handle": "alex"}).status_code == 403
    assert role_of(scene, "alex") == "owner"


def test_the_last_owner_stays_and_is_told_why(scene, browser_of):
    answer = browser_of("alex").post(MANAGE, {"do": "role", "handle": "alex", "role": "member"})
    assert answer.status_code == 409
    assert "at least one owner" in words(answer)


def test_nobody_s_handle_is_said_to_be_one(scene, browser_of):
    answer = browser_of("alex").post(MANAGE, {"do": "add", "handle": "nobody-at-all", "role": "member"})
    assert answer.status_code == 422
    assert "is nobody of this installation" in words(answer)


def test_a_link_is_shown_once_and_leads_in_until_it_is_taken_back(scene, browser_of):
    mo = browser_of("mo")
    made = mo.post(MANAGE, {"do": "invite", "role": "member", "most": "2", "hours": "5"})
    code = re.search(r"/join/([\w-]+)</code>", source(made))
    assert code
    assert code.group(1) not in source(mo.get(MANAGE))
    assert browser_of("xan").post(f"/join/{code.group(1)}").status_code == 302
    assert role_of(scene, "xan") == "member"
    row = Invitation.objects.get()
    assert mo.post(MANAGE, {"do": "revoke", "invitation": str(row.id)}).status_code == 302
    row.refresh_from_db()
    assert row.revoked_at is not None
    assert "Take back" not in words(mo.get(MANAGE))


@pytest.mark.parametrize("given", [{"most": "0", "hours": "5"}, {"most": "x", "hours": "5"}, {"most": "1"}])
def test_a_link_that_cannot_be_is_refused(scene, browser_of, given):
    answer = browser_of("mo").post(MANAGE, {"do": "invite", "role": "member", **given})
    assert answer.status_code == 422
    assert "Nothing was changed." in words(answer)
    assert not Invitation.objects.exists()


def test_a_moderator_invites_no_moderators(scene, browser_of):
    given = {"do": "invite", "role": "moderator", "most": "1", "hours": "5"}
    assert browser_of("mo").post(MANAGE, given).status_code == 403
    assert browser_of("alex").post(MANAGE, given).status_code == 200


def test_what_roles_may_do_is_the_owner_s_to_say(scene, browser_of):
    alex, mo = browser_of("alex"), browser_of("mo")
    assert "What roles may do here" in words(alex.get(MANAGE))
    assert "What roles may do here" not in words(mo.get(MANAGE))
    lists = {str(role): [str(one) for one in scene.session.granted(role)] for role in Role if role != Role.OWNER}
    lists["viewer"].append("post_agent")
    assert mo.post(MANAGE, {"do": "rights", **lists}).status_code == 403
    assert alex.post(MANAGE, {"do": "rights", **lists}).status_code == 302
    session = Session.objects.get(id=scene.session.id)
    assert set(session.roles or {}) == {"viewer"}
    assert Capability.POST_AGENT in session.granted(Role.VIEWER)
    assert "Ask Mirror" in words(browser_of("vic").get(PAGE))
    assert alex.post(MANAGE, {"do": "defaults"}).status_code == 302
    assert Session.objects.get(id=scene.session.id).roles is None
    assert "Ask Mirror" not in words(browser_of("vic").get(PAGE))


SETTINGS = {"do": "set", "title": "Welcome", "active_agent": "mirror", "answers": "everyone"}
SETTINGS |= {"default_audience": "active_agent"}


def told(browser, given: dict[str, object]) -> str:
    """What the page says after a change."""
    answer = browser.post(MANAGE, given, follow=True)
    found = re.search(r'<p class="saved" role="status"[^>]*>([^<]*)</p>', source(answer))
    return found.group(1) if found else ""


def test_each_change_is_told_once(scene, browser_of):
    alex = browser_of("alex")
    assert told(alex, {"do": "role", "handle": "gus", "role": "member"}) == "Gus is member now."
    assert 'class="saved"' not in source(alex.get(MANAGE))
    assert told(alex, {"do": "remove", "handle": "gus"}) == "@gus is here no more."
    assert told(alex, {"do": "add", "handle": "gus", "role": "viewer"}) == "Gus is here, as viewer."
    alex.post(MANAGE, {"do": "invite", "role": "member", "most": "2", "hours": "5"})
    row = Invitation.objects.get()
    assert told(alex, {"do": "revoke", "invitation": str(row.id)}).startswith("The invitation is taken back")


def test_what_was_refused_is_not_told_as_saved(scene, browser_of):
    assert told(browser_of("alex"), {"do": "role", "handle": "alex", "role": "member"}) == ""
    assert told(browser_of("alex"), SETTINGS | {"title": " "}) == ""


def test_the_settings_are_there_in_words_and_saved(scene, browser_of):
    mo = browser_of("mo")
    page = source(mo.get(MANAGE))
    for label in ("Title", "Agent that answers here", "Who hears its answers", "Who hears a message that names nobody"):
        assert label in page
    assert '<option value="mirror" selected>Mirror</option>' in page
    assert told(mo, SETTINGS) == "Nothing was changed; it is all as it was."
    given = SETTINGS | {"title": "Hello", "active_agent": "", "answers": "participants", "guests_public": "on"}
    assert told(mo, given | {"default_audience": "participants"}) == (
        "Saved: the title, which agent answers, who hears its answers, who hears what names nobody and whether "
        "guests may ask."
    )
    session = Session.objects.get(id=scene.session.id)
    assert (session.title, session.active_agent, session.answers) == ("Hello", None, "participants")
    assert (session.default_audience, session.guests_public) == ("participants", True)
    assert (
        told(mo, given | {"default_audience": "participants", "active_agent": "scout"}) == "Saved: which agent answers."
    )


@pytest.mark.parametrize(
    "given", [{"title": " "}, {"active_agent": "nobody"}, {"answers": "nobody"}, {"default_audience": "everyone"}]
)
def test_a_setting_that_cannot_be_changes_nothing_and_says_why(scene, browser_of, given):
    answer = browser_of("alex").post(MANAGE, SETTINGS | {"title": "Other"} | given)
    assert answer.status_code == 422
    assert "Nothing was changed." in words(answer)
    assert Session.objects.get(id=scene.session.id).title == "Welcome"


@pytest.mark.parametrize("handle", ["sam", "vic", "gus"])
def test_who_may_not_changes_no_setting_and_closes_nothing(scene, browser_of, handle):
    for given in (SETTINGS | {"title": "Taken over"}, {"do": "close"}):
        assert browser_of(handle).post(MANAGE, given).status_code == 403
    session = Session.objects.get(id=scene.session.id)
    assert (session.title, session.closed_at) == ("Welcome", None)


def test_an_owner_closes_a_session_and_a_moderator_neither_finds_nor_may_it(scene, browser_of):
    alex, mo = browser_of("alex"), browser_of("mo")
    assert "Close this session" in words(alex.get(MANAGE))
    assert "Close this session" not in words(mo.get(MANAGE))
    assert mo.post(MANAGE, {"do": "close"}).status_code == 403
    assert Session.objects.get(id=scene.session.id).closed_at is None
    answer = alex.post(MANAGE, {"do": "close"}, follow=True)
    assert answer.redirect_chain == [("/", 302)]
    assert "Welcome is closed." in words(answer)
    assert mo.get(PAGE).status_code == 404


def test_one_role_goes_back_to_the_defaults_and_the_others_keep_their_lists(scene, browser_of):
    alex = browser_of("alex")
    lists = {str(role): [str(one) for one in scene.session.granted(role)] for role in Role if role != Role.OWNER}
    wider = lists | {"viewer": [*lists["viewer"], "post_agent"], "guest": [*lists["guest"], "post_agent"]}
    assert told(alex, {"do": "rights", **wider}) == "Saved: what each viewer and guest may do."
    assert "Viewer back to the defaults" in words(alex.get(MANAGE))
    assert told(alex, {"do": "defaults", "role": "viewer"}) == "Back to the defaults: what each viewer may do."
    assert set(Session.objects.get(id=scene.session.id).roles or {}) == {"guest"}
    assert "Viewer back to the defaults" not in words(alex.get(MANAGE))


def test_a_list_made_equal_to_the_default_is_the_default(scene, browser_of):
    alex = browser_of("alex")
    lists = {str(role): [str(one) for one in scene.session.granted(role)] for role in Role if role != Role.OWNER}
    told(alex, {"do": "rights", **lists, "viewer": []})
    assert set(Session.objects.get(id=scene.session.id).roles or {}) == {"viewer"}
    told(alex, {"do": "rights", **lists})
    assert Session.objects.get(id=scene.session.id).roles is None


def test_who_gives_away_the_right_to_the_page_is_led_to_what_is_left(scene, browser_of):
    mo = browser_of("mo")
    answer = mo.post(MANAGE, {"do": "role", "handle": "mo", "role": "member"}, follow=True)
    assert answer.redirect_chain == [(PAGE, 302)]
    assert "Mo is member now." in words(answer)
    answer = browser_of("alex").post(MANAGE, {"do": "remove", "handle": "mo"})
    assert answer.status_code == 302


def test_no_capability_shows_its_code_to_people(scene, browser_of):
    for page in (words(browser_of("alex").get(MANAGE)), words(browser_of("gus").get(MANAGE))):
        assert not any(str(one) in page for one in Capability if "_" in one)
    assert "does not let you manage this session and its members" in words(browser_of("gus").get(MANAGE))


class TestNamespaceAndSources:
    """Each is offered where the installation has something to choose, and saved then alone."""

    @pytest.fixture
    def notes(self, scene):
        for name in ("notes", "wiki"):
            Source.objects.create(name=name, transport="folder", settings={"path": "/n"}, asked_at=timezone.now())

    def session(self, scene) -> Session:
        return Session.objects.get(id=scene.session.id)

    def test_where_there_is_nothing_to_choose_neither_is_there(self, scene, browser_of):
        page = source(browser_of("alex").get(MANAGE))
        assert 'name="namespace"' not in page
        assert "Sources of tools" not in page

    def test_what_was_set_elsewhere_stays_where_it_is_not_offered(self, scene, browser_of):
        Session.objects.filter(id=scene.session.id).update(sources=[])
        assert told(browser_of("alex"), SETTINGS | {"title": "Hello"}) == "Saved: the title."
        assert self.session(scene).sources == []

    def test_a_namespace_is_chosen_of_those_in_use(self, scene, browser_of):
        change_agent(None, "scout", namespaces=["lab"])
        mo = browser_of("mo")
        page = source(mo.get(MANAGE))
        assert '<option value="" selected>None</option>' in page
        assert '<option value="lab">lab</option>' in page
        assert told(mo, SETTINGS | {"namespace": "lab"}) == "Saved: its namespace."
        assert self.session(scene).namespace == "lab"
        assert '<option value="lab" selected>lab</option>' in source(mo.get(MANAGE))
        assert told(mo, SETTINGS | {"namespace": ""}) == "Saved: its namespace."

    def test_sources_are_chosen_and_all_of_them_are_no_narrower_rule(self, scene, browser_of, notes):
        mo, some = browser_of("mo"), SETTINGS | {"choose_sources": "1"}
        page = source(mo.get(MANAGE))
        assert page.count('name="sources"') == page.count(" checked>notes") + page.count(" checked>wiki") == 2
        assert told(mo, some | {"sources": ["notes", "wiki"]}).startswith("Nothing was changed")
        assert self.session(scene).sources is None
        assert told(mo, some | {"sources": ["notes"]}) == "Saved: which sources of tools agents may use."
        assert self.session(scene).sources == ["notes"]
        page = source(mo.get(MANAGE))
        assert " checked>notes" in page
        assert " checked>wiki" not in page
        assert told(mo, some).startswith("Saved")
        assert self.session(scene).sources == []
        assert told(mo, some | {"sources": ["notes", "wiki"]}).startswith("Saved")
        assert self.session(scene).sources is None

    def test_a_source_that_is_none_changes_nothing_and_says_why(self, scene, browser_of, notes):
        answer = browser_of("mo").post(MANAGE, SETTINGS | {"choose_sources": "1", "sources": ["nothing"]})
        assert answer.status_code == 422
        assert "is no source here" in words(answer)
        assert self.session(scene).sources is None

    @pytest.mark.parametrize("handle", ["sam", "vic", "gus"])
    def test_who_may_not_changes_neither(self, scene, browser_of, notes, handle):
        for given in ({"namespace": "lab"}, {"choose_sources": "1"}):
            assert browser_of(handle).post(MANAGE, SETTINGS | given).status_code == 403
        assert (self.session(scene).namespace, self.session(scene).sources) == ("", None)
