"""A session's settings and its roles' own lists: who may change them, what they are then, and that all are told."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from messaging.actions.close_session import close_session
from messaging.actions.configure import configure
from messaging.actions.manage_members import add_member, change_role, remove_member
from messaging.actions.open_session import open_session
from messaging.domain.capability import DEFAULTS, OVERRIDABLE, Capability, Role, is_above
from messaging.journal.models import Clock, Entry
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Turn
from messaging.roster import access
from messaging.roster.access import Forbidden, Hidden
from messaging.roster.models import Membership, Person, Session, SessionChange
from messaging.transcript.models import AuditEntry
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room() -> Room:
    return Room.open()


def granted(room: Room, role: Role) -> set[str]:
    return {str(one) for one in Session.objects.get(id=room.session.id).granted(role)}


def roles(room: Room) -> dict[str, str]:
    """Everybody's role as it lies there."""
    rows = Membership.objects.filter(session=room.session, left_at=None, person__isnull=False)
    return dict(rows.values_list("person__handle__spelled", "role"))


def changes(room: Room) -> list[dict[str, object]]:
    rows = AuditEntry.objects.filter(session=room.session.id, verb="session", detail__change="settings").order_by("at")
    return [{name: value for name, value in row.detail.items() if name != "change"} for row in rows]


class TestLists:
    @pytest.mark.parametrize("role", OVERRIDABLE)
    def test_a_list_takes_the_place_of_the_default_and_null_brings_it_back(self, room, role):
        configure(person("alex"), room.session, roles={role: ["stop", "post_human"]})
        assert granted(room, role) == {"post_human", "stop"}
        others = set(OVERRIDABLE) - {role}
        assert all(granted(room, other) == set(DEFAULTS[other]) for other in others)
        configure(person("alex"), room.session, roles={role: None})
        assert granted(room, role) == set(DEFAULTS[role])
        assert Session.objects.get(id=room.session.id).roles is None

    def test_lists_are_kept_that_are_not_named_and_null_for_all_takes_them_all(self, room):
        configure(person("alex"), room.session, roles={"viewer": []})
        configure(person("alex"), room.session, roles={"guest": ["post_human"]})
        assert Session.objects.get(id=room.session.id).roles == {"viewer": [], "guest": ["post_human"]}
        configure(person("alex"), room.session, roles=None)
        assert Session.objects.get(id=room.session.id).roles is None

    def test_what_is_given_so_can_be_done_and_what_is_taken_cannot(self, room):
        assert room.refused("vic", "hi", "active_agent").code == "no_capability"
        configure(person("alex"), room.session, roles={"viewer": ["post_agent"]})
        room.say("vic", "hi", "active_agent")
        assert room.refused("vic", "hi").code == "no_capability"

    def test_an_agents_list_binds_agents(self, room):
        room.say(agent("scout"), "hi")
        configure(person("alex"), room.session, roles={"agent": ["post_agent"]})
        assert room.refused(agent("scout"), "hi").code == "no_capability"

    @pytest.mark.parametrize(
        ("roles", "field"),
        [({"owner": []}, "roles"), ({"king": []}, "roles"), ({"viewer": ["fly"]}, "roles.viewer"),
         ({"member": ["post_human", "POST_AGENT"]}, "roles.member")],
    )  # fmt: skip
    def test_words_that_are_none_are_refused_and_change_nothing(self, room, roles, field):
        with pytest.raises(ValidationError) as caught:
            configure(person("alex"), room.session, roles=roles, title="Other")
        assert list(caught.value.message_dict) == [field]
        row = Session.objects.get(id=room.session.id)
        assert (row.roles, row.title) == (None, "Welcome")

    @pytest.mark.parametrize("who", ["mo", "sam", "vic", "gus"])
    def test_only_owners_decide_about_them(self, room, who):
        with pytest.raises(Forbidden):
            configure(person(who), room.session, roles={"viewer": []})
        assert changes(room) == []

    def test_an_owner_cannot_be_shut_out_by_a_list(self, room):
        Session.objects.filter(id=room.session.id).update(roles={"owner": []})
        assert granted(room, Role.OWNER) == set(Capability)


class TestSettings:
    @pytest.mark.parametrize(
        ("field", "value", "before"),
        [("guests_public", True, False), ("default_audience", "participants", "active_agent"),
         ("answers", "participants", "everyone"), ("active_agent", None, "mirror"), ("active_agent", "scout", "mirror")],
    )  # fmt: skip
    def test_each_is_changed_told_and_written_down_once(self, room, field, value, before):
        clock = Clock.objects.get(session=room.session.id)
        for _ in range(2):
            configure(person("mo"), room.session, **{field: value})
        assert changes(room) == [{field: [before, value]}]
        [entry] = Entry.objects.filter(session=room.session.id, kind="session")
        assert SessionChange.objects.get().id == entry.ref
        after = Clock.objects.get(session=room.session.id)
        assert (after.seq - clock.seq, after.epoch > clock.epoch) == (1, True)

    def test_several_are_one_change(self, room):
        configure(person("alex"), room.session, title="Home", answers="participants", guests_public=True)
        assert changes(room) == [
            {"title": ["", ""], "answers": ["everyone", "participants"], "guests_public": [False, True]}
        ]
        assert SessionChange.objects.count() == 1

    @pytest.mark.parametrize(
        ("field", "value"),
        [("default_audience", "everyone"), ("default_audience", None), ("answers", "agent"), ("guests_public", None),
         ("guests_public", "yes"), ("title", ""), ("active_agent", "sam")],
    )  # fmt: skip
    def test_a_value_that_is_none_names_its_field(self, room, field, value):
        with pytest.raises(ValidationError) as caught:
            configure(person("alex"), room.session, **{field: value})
        assert list(caught.value.message_dict) == [field]
        assert changes(room) == []

    @pytest.mark.parametrize("who", ["sam", "vic", "gus"])
    def test_who_may_not_manage_members_changes_nothing(self, room, who):
        with pytest.raises(Forbidden):
            configure(person(who), room.session, guests_public=True)
        assert not Session.objects.get(id=room.session.id).guests_public

    def test_who_is_outside_learns_nothing(self, room):
        with pytest.raises(Hidden):
            configure(person("xan"), room.session, guests_public=True)

    def test_a_right_lost_since_the_session_was_read_counts(self, room):
        stale = access.session(person("mo"), "welcome")
        configure(person("alex"), room.session, roles={"moderator": ["post_human"]})
        with pytest.raises(Forbidden):
            configure(person("mo"), stale, title="Mine")


class TestMembersWhoManageMembers:
    """A list may let a role manage members; it makes nobody more than they are."""

    @pytest.fixture(autouse=True)
    def _members_may(self, room):
        configure(person("alex"), room.session, roles={"member": ["post_human", "manage_members"]})

    def test_they_bring_people_in_up_to_their_own_role(self, room):
        add_member(person("sam"), room.session, "xan", "member")
        assert roles(room)["xan"] == "member"
        change_role(person("sam"), room.session, "xan", "guest")
        assert roles(room)["xan"] == "guest"

    @pytest.mark.parametrize(
        "deed",
        [
            lambda room: add_member(person("sam"), room.session, "xan", "moderator"),
            lambda room: change_role(person("sam"), room.session, "sam", "moderator"),
            lambda room: change_role(person("sam"), room.session, "mo", "member"),
            lambda room: remove_member(person("sam"), room.session, "mo"),
            lambda room: remove_member(person("sam"), room.session, "alex"),
            lambda room: configure(person("sam"), room.session, roles={"member": ["moderate"]}),
        ],
        ids=["adds a moderator", "rises", "lowers one above", "removes one above", "removes an owner", "lists"],
    )
    def test_but_decide_about_nobody_above_them(self, room, deed):
        before = roles(room)
        with pytest.raises(Forbidden):
            deed(room)
        assert roles(room) == before


def test_ranks_go_from_owner_to_guest_and_agents_stand_beside():
    order = [Role.OWNER, Role.MODERATOR, Role.MEMBER, Role.VIEWER, Role.GUEST]
    for n, role in enumerate(order):
        assert [is_above(role, other) for other in order] == [n < m for m in range(len(order))]
        assert not is_above(role, Role.AGENT)
        assert not is_above(Role.AGENT, role)


class TestClosing:
    def test_it_is_there_for_nobody_any_more(self, room):
        close_session(person("alex"), room.session)
        for who in ("alex", "mo", "sam"):
            with pytest.raises(Hidden):
                access.session(person(who), "welcome")
        assert room.refused("alex").status == 404
        assert AuditEntry.objects.filter(session=room.session.id, detail__change="closed", actor="alex").count() == 1

    @pytest.mark.parametrize("who", ["mo", "sam", "gus"])
    def test_only_an_owner_closes_it(self, room, who):
        with pytest.raises(Forbidden):
            close_session(person(who), room.session)
        assert access.session(person("alex"), "welcome").closed_at is None

    def test_nobody_outside_closes_it_nor_anybody_twice(self, room):
        with pytest.raises(Hidden):
            close_session(person("xan"), room.session)
        close_session(person("alex"), room.session)
        with pytest.raises(Hidden):
            close_session(person("alex"), room.session)
        assert AuditEntry.objects.filter(session=room.session.id, detail__change="closed").count() == 1

    def test_a_turn_that_runs_is_stopped_by_whoever_closes_and_told_in_the_journal(self, room):
        room.say("sam", "a question", "active_agent")
        held = claim(room.seat("mirror").id)
        close_session(person("alex"), room.session)
        turn = Turn.objects.get(id=held.turn)
        assert (turn.state, turn.reason, turn.lease_owner) == ("stopped", "session_closed", None)
        last = turn.steps.order_by("step").last()
        assert (last.by, last.journaled) == ("alex", True)
        assert Entry.objects.filter(session=room.session.id, kind="turn", ref=last.id).exists()

    def test_another_session_goes_on(self, room):

        other = open_session(Person.objects.get(handle__spelled="alex"), title="Other")
        close_session(person("alex"), room.session)
        assert access.session(person("alex"), other.id).closed_at is None

    def test_settings_of_a_closed_one_are_nobodys(self, room):
        stale = access.session(person("alex"), "welcome")
        close_session(person("alex"), room.session)
        for deed in (
            lambda: configure(person("alex"), stale, title="x"),
            lambda: add_member(person("alex"), stale, "xan", "member"),
        ):
            with pytest.raises(Hidden):
                deed()
