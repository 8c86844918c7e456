"""Role x capability, as decided; and what each audience takes."""

from __future__ import annotations

import pytest

from messaging.domain.audience import ActiveAgent, Agents, Everyone, Participants, People, System
from messaging.domain.capability import INVITED, RANKS, Capability, Role, decides_about, granted, invites_to, needed
from messaging.domain.wording import CAPABILITIES, lacking, own_alone

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


@pytest.mark.parametrize(
    ("own", "decides", "invites"),
    [
        (Role.OWNER, "owner moderator member viewer guest agent", "moderator member viewer guest"),
        (Role.MODERATOR, "moderator member viewer guest agent", "member viewer guest"),
        (Role.MEMBER, "member viewer guest agent", "member viewer guest"),
        (Role.VIEWER, "viewer guest agent", "viewer guest"),
        (Role.GUEST, "guest agent", "guest"),
    ],
)
def test_who_manages_members_decides_about_these_roles_and_invites_to_those(own, decides, invites):
    assert " ".join(role for role in Role if decides_about(own, role)) == decides
    assert " ".join(role for role in Role if invites_to(own, role)) == invites


def test_people_have_every_role_but_that_of_agents_and_are_invited_to_every_one_but_owner():
    people = tuple(role for role in Role if role is not Role.AGENT)
    assert (people, people[1:]) == (RANKS, INVITED)


@pytest.mark.parametrize("capability", Capability)
def test_who_lacks_a_right_is_told_what_it_is_and_never_its_code(capability):
    for words in (CAPABILITIES[capability], lacking(capability), own_alone(capability)):
        assert "_" not in words
    assert CAPABILITIES[capability] in lacking(capability)
    assert lacking("a_later_one") == "Your role here does not let you do this."
