"""A call that was under way when its caller's account was closed or token revoked still acts."""

from __future__ import annotations

import pytest

from messaging.actions.close_account import close_account
from messaging.actions.close_session import close_session
from messaging.actions.configure import configure
from messaging.actions.delete import delete
from messaging.actions.fresh_start import fresh_start
from messaging.actions.invite import invite
from messaging.actions.manage_members import add_member, change_role, remove_member
from messaging.actions.redeem import redeem
from messaging.actions.stop import stop
from messaging.roster.models import Membership
from tests.actions.deeds import made, refused
from tests.cast import Room, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    room = Room.open()
    made(room, "mo", "owner")
    return room


DEEDS = {
    "configure": lambda who, session: configure(who, session, title="mine", guests_public=True),
    "roles": lambda who, session: configure(who, session, roles={"guest": ["post_agent", "manage_members"]}),
    "add": lambda who, session: add_member(who, session, "xan", "owner"),
    "role": lambda who, session: change_role(who, session, "gus", "owner"),
    "remove": lambda who, session: remove_member(who, session, "sam"),
    "invite": lambda who, session: invite(who, session, "moderator", most=100),
    "stop": lambda who, session: stop(who, session, "session"),
    "new": fresh_start,
    "close": close_session,
}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_closed_account_does_nothing_more(room, deed):
    """The caller is known (and authenticated) before the lock; the account is closed while the call waits for it."""
    mo = person("mo")
    close_account(None, "mo")
    assert refused(lambda: DEEDS[deed](mo, room.session))[0] in (401, 403, 404)


def test_nor_does_it_come_in_by_an_invitation(room):
    code = invite(person("alex"), room.session, "member").code
    xan = person("xan")
    close_account(None, "xan")
    assert refused(lambda: redeem(xan, code))[0] in (401, 403, 404)
    assert not Membership.objects.filter(person__handle__spelled="xan").exists()


def test_control_a_deed_on_a_message_is_refused(room):
    message = room.say("mo", "text")
    mo = person("mo")
    close_account(None, "mo")
    assert refused(lambda: delete(mo, message.id))[0] == 401
