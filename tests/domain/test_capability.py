"""Role x capability, as decided; and what each audience takes."""

from __future__ import annotations

import pytest

from messaging.domain.audience import ActiveAgent, Agents, Everyone, Participants, People, System
from messaging.domain.capability import Capability, Role, granted, needed

MAY_SPEAK_TO = {
    Role.OWNER: "participants active_agent agent participant everyone",
    Role.MODERATOR: "participants active_agent agent participant everyone",
    Role.MEMBER: "participants active_agent agent participant everyone",
    Role.VIEWER: "participants participant",
    Role.GUEST: "participants",
    Role.AGENT: "participants active_agent agent participant everyone",
}
AUDIENCES = [Participants(), ActiveAgent(), Agents(("scout",)), People(("sam",)), Everyone()]


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("audience", AUDIENCES, ids=lambda one: str(one.kind))
def test_each_role_speaks_to_whom_it_may_and_nobody_else(role, audience):
    assert (needed(audience) <= granted(role)) is (audience.kind in MAY_SPEAK_TO[role].split())


def test_guests_ask_the_agent_only_where_guests_are_public():
    assert Capability.POST_AGENT in granted(Role.GUEST, guests_public=True)
    assert Capability.POST_AGENT not in granted(Role.GUEST)
    assert Capability.POST_AGENT not in granted(Role.VIEWER, guests_public=True)


def test_nobody_may_speak_as_the_system():
    with pytest.raises(PermissionError):
        needed(System())


@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER, Role.GUEST, Role.AGENT])
def test_keeping_order_is_for_owners_and_moderators(role):
    assert granted(role).isdisjoint({Capability.MANAGE_MEMBERS, Capability.MODERATE})
