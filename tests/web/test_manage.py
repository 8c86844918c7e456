"""Managing a session: by those who may, and by nobody else."""

from __future__ import annotations

import re

import pytest

from messaging.domain.capability import Capability, Role
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
    assert "<option>owner" not in page
    assert 'aria-label="Role of Alex"' not in page
    assert "<option>owner" in source(browser_of("alex").get(MANAGE))
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
