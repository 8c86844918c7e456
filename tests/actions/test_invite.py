"""Invitations by link: who may make one, what it is worth, how often and how long."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from messaging.actions.close_account import close_account
from messaging.actions.close_session import close_session
from messaging.actions.configure import configure
from messaging.actions.draft import Refusal
from messaging.actions.invite import invite
from messaging.actions.manage_members import change_role, remove_member
from messaging.actions.redeem import redeem
from messaging.actions.revoke_invitation import revoke
from messaging.roster import access, invitations
from messaging.roster.access import Forbidden, Hidden
from messaging.roster.models import Invitation, Membership
from messaging.transcript.models import AuditEntry
from tests.actions.deeds import refused
from tests.cast import Room, person

pytestmark = pytest.mark.django_db
NOWHERE = (404, "not_found")


@pytest.fixture
def room() -> Room:
    return Room.open()


def made(room: Room, who: str = "alex", role: str = "member", **more) -> str:
    return invite(person(who), room.session, role, **more).code


def role_of(room: Room, who: str) -> str:
    return access.role(person(who), room.session)


def used(room: Room) -> int:
    return Invitation.objects.get(session=room.session).used


class TestMaking:
    @pytest.mark.parametrize("role", ["moderator", "member", "viewer", "guest"])
    def test_an_owner_invites_to_every_role_below(self, room, role):
        redeem(person("xan"), made(room, "alex", role))
        assert role_of(room, "xan") == role

    @pytest.mark.parametrize("role", ["owner", "agent", "king", ""])
    def test_nobody_is_invited_as_owner_or_agent(self, room, role):
        assert refused(lambda: made(room, "alex", role)) == (422, "invalid")

    def test_a_moderator_invites_members_and_no_moderators(self, room):
        made(room, "mo", "member")
        assert refused(lambda: made(room, "mo", "moderator")) == (403, "no_capability")

    def test_a_member_who_manages_members_invites_to_no_role_above(self, room):
        configure(person("alex"), room.session, roles={"viewer": ["manage_members"]})
        made(room, "vic", "guest")
        made(room, "vic", "viewer")
        for role in ("member", "moderator"):
            assert refused(lambda role=role: made(room, "vic", role)) == (403, "no_capability")

    @pytest.mark.parametrize(("who", "answer"), [("sam", 403), ("vic", 403), ("gus", 403), ("xan", 404)])
    def test_who_may_not_manage_members_makes_sees_and_revokes_none(self, room, who, answer):
        row = invite(person("alex"), room.session, "member").invitation
        for deed in (
            lambda: made(room, who, "guest"),
            lambda: invitations.of_session(person(who), room.session),
            lambda: revoke(person(who), row.id),
        ):
            assert refused(deed)[0] == answer
        assert Invitation.objects.get().revoked_at is None

    @pytest.mark.parametrize("more", [{"most": 0}, {"most": 101}, {"hours": 0}, {"hours": 721}])
    def test_bounds(self, room, more):
        with pytest.raises(Refusal) as caught:
            made(room, **more)
        assert (caught.value.status, caught.value.field) == (422, next(iter(more)))
        made(room, most=100, hours=720)

    def test_its_code_is_kept_nowhere(self, room):
        code = made(room)
        assert len(code) >= 43
        row = Invitation.objects.get()
        assert code not in str(row.__dict__)
        assert not AuditEntry.objects.filter(detail__icontains=code[:12]).exists()

    def test_it_is_on_record_who_made_used_and_revoked_it(self, room):
        row = invite(person("mo"), room.session, "guest", most=2, hours=5)
        redeem(person("xan"), row.code)
        revoke(person("alex"), row.invitation.id)
        revoke(person("alex"), row.invitation.id)
        found = AuditEntry.objects.filter(session=room.session.id, verb__in=["invited", "invitation_revoked"]).order_by(
            "at"
        )
        assert [(one.verb, one.actor, one.about) for one in found] == [
            ("invited", "mo", row.invitation.id),
            ("invitation_revoked", "alex", row.invitation.id),
        ]
        assert found[0].detail == {"role": "guest", "most": 2, "hours": 5}
        joined = AuditEntry.objects.get(verb="joined", detail__handle="xan")
        assert (joined.actor, joined.detail["invitation"]) == ("xan", str(row.invitation.id))


class TestRedeeming:
    def test_who_comes_in_is_a_member_and_anybody_else_is_not(self, room):
        code = made(room)
        assert redeem(person("xan"), code).id == room.session.id
        assert room.say("xan", "hello", "active_agent")
        assert used(room) == 1

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda _: Invitation.objects.update(expires_at=timezone.now()),
            lambda _: revoke(person("alex"), Invitation.objects.get().id),
            lambda room: close_session(person("alex"), room.session),
            lambda room: change_role(person("alex"), room.session, "mo", "member"),
            lambda room: remove_member(person("alex"), room.session, "mo"),
            lambda _: close_account(person("alex"), "mo"),
            lambda room: configure(person("alex"), room.session, roles={"moderator": ["post_human"]}),
        ],
        ids=[
            "expired",
            "revoked",
            "closed",
            "maker demoted",
            "maker removed",
            "maker's account closed",
            "maker's list",
        ],
    )
    def test_what_opens_nothing_looks_like_what_never_was(self, room, spoil):
        code = made(room, "mo")
        spoil(room)
        for word in (code, "nonsense", ""):
            assert refused(lambda word=word: redeem(person("xan"), word)) == NOWHERE
            with pytest.raises(Hidden):
                invitations.offer(word)
        assert not Membership.objects.filter(session=room.session, person__handle__spelled="xan").exists()

    def test_its_places_are_taken_one_by_one_and_then_it_says_so(self, room):
        code = made(room, most=1)
        redeem(person("xan"), code)
        change_role(person("alex"), room.session, "vic", "guest")
        assert refused(lambda: redeem(person("vic"), code)) == (409, "used_up")
        assert (used(room), role_of(room, "vic")) == (1, "guest")

    def test_the_same_person_again_counts_nothing(self, room):
        code = made(room, most=1)
        for _ in range(3):
            assert redeem(person("xan"), code).id == room.session.id
        assert used(room) == 1

    @pytest.mark.parametrize(("who", "role"), [("alex", "owner"), ("mo", "moderator"), ("sam", "member")])
    def test_a_higher_role_is_kept_and_nothing_counted(self, room, who, role):
        redeem(person(who), made(room))
        assert (role_of(room, who), used(room)) == (role, 0)

    def test_a_lower_one_rises_and_takes_a_place(self, room):
        redeem(person("gus"), made(room))
        assert (role_of(room, "gus"), used(room)) == ("member", 1)

    def test_who_was_removed_does_not_come_back_by_an_older_one_but_by_a_newer(self, room):
        code = made(room, most=5)
        redeem(person("xan"), code)
        remove_member(person("alex"), room.session, "xan")
        assert refused(lambda: redeem(person("xan"), code)) == (409, "left_since")
        with pytest.raises(Hidden):
            access.session(person("xan"), "welcome")
        Invitation.objects.update(made_at=timezone.now() - timedelta(minutes=1))
        redeem(person("xan"), made(room))
        assert role_of(room, "xan") == "member"

    def test_an_offer_names_title_role_and_who_invites_and_whether_there_is_room(self, room):
        code = made(room, "mo", "viewer")
        offer = invitations.offer(code)
        assert (offer.title, offer.role, offer.invited_by, offer.open) == ("Welcome", "viewer", "Mo", True)
        redeem(person("xan"), code)
        assert not invitations.offer(code).open

    def test_revoking_puts_nobody_out(self, room):
        row = invite(person("alex"), room.session, "member", most=2)
        redeem(person("xan"), row.code)
        revoke(person("mo"), str(row.invitation.id))
        assert role_of(room, "xan") == "member"

    @pytest.mark.parametrize("word", ["nonsense", "00000000-0000-4000-8000-000000000000"])
    def test_an_invitation_of_nowhere_cannot_be_revoked(self, room, word):
        assert refused(lambda: revoke(person("alex"), word)) == NOWHERE


def test_who_makes_one_must_be_able_to_still_as_it_is_made(room):
    stale = access.session(person("mo"), "welcome")
    change_role(person("alex"), room.session, "mo", "member")
    with pytest.raises(Forbidden):
        invite(person("mo"), stale, "guest")


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_at_the_last_place_one_comes_in():
    room = Room.open()
    remove_member(person("alex"), room.session, "gus")
    Membership.objects.filter(person__handle__spelled="gus").update(left_at=timezone.now() - timedelta(hours=1))
    code = made(room, most=1)
    ready = threading.Barrier(2)
    told: dict[str, str] = {}

    def come(who: str) -> None:
        viewer = person(who)
        ready.wait(10)
        try:
            redeem(viewer, code)
            told[who] = "in"
        except Refusal as refusal:
            told[who] = refusal.code
        finally:
            connection.close()

    threads = [threading.Thread(target=come, args=(who,)) for who in ("xan", "gus")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(told.values()) == ["in", "used_up"]
    assert used(room) == 1
    people = Membership.objects.filter(session=room.session, left_at=None, person__handle__spelled__in=["xan", "gus"])
    assert people.count() == 1
