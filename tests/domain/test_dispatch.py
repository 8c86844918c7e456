"""Which calls of an agent are permitted, and the reason of each that is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging.domain import dispatch, reason
from messaging.domain.dispatch import MAX_CHILDREN, MAX_DEPTH, MAX_HOPS, Mode, Origin, Place, Policy, Target

HOSTED, CONNECTED = Target("hosted"), Target("connected")
ROOM = Place()
modes = st.sampled_from(Mode)
targets = st.builds(
    Target,
    st.sampled_from(["hosted", "connected", "odd"]),
    st.builds(
        Policy,
        st.none() | st.frozensets(st.sampled_from([*map(str, Mode), "odd"])),
        st.none() | st.frozensets(st.sampled_from(["", "lab"])),
        st.none() | st.frozensets(st.sampled_from(["notes", "wiki"])),
    ),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
places = st.builds(Place, st.sampled_from(["", "lab"]), st.integers(0, 4), st.integers(0, 60), st.booleans())
origins = st.builds(Origin, st.integers(0, 12), st.integers(0, 4), st.none() | st.frozensets(modes))
NOTES = Policy(sources=frozenset({"notes"}))


@pytest.mark.parametrize("mode", Mode)
def test_a_hosted_agent_offers_every_mode_and_a_connected_one_mail(mode):
    assert dispatch.fault(mode, HOSTED, ROOM) == ""
    assert (dispatch.fault(mode, CONNECTED, ROOM) == "") is (mode is Mode.FUTURE_TURN)


@pytest.mark.parametrize(
    ("mode", "target", "place", "origin", "code"),
    [
        (Mode.FUTURE_TURN, Target("hosted", usable=False), ROOM, Origin(), "not_available"),
        (Mode.FUTURE_TURN, Target("hosted", Policy(frozenset({"advisor"}))), ROOM, Origin(), "no_mode"),
        (Mode.CONSULT, Target("hosted", active=True), ROOM, Origin(), "no_mode"),
        (Mode.ADVISOR, HOSTED, Place(has_active=False), Origin(), "no_mode"),
        (Mode.FUTURE_TURN, Target("hosted", Policy(namespaces=frozenset({"lab"}))), ROOM, Origin(), "namespace"),
        (Mode.FUTURE_TURN, Target("hosted", NOTES, granted=False), ROOM, Origin(), "source"),
        (Mode.FUTURE_TURN, Target("hosted", served=False), ROOM, Origin(), "placement"),
        (Mode.FUTURE_TURN, HOSTED, ROOM, Origin(asks=frozenset({"consult"})), "tools"),
        (Mode.FUTURE_TURN, HOSTED, ROOM, Origin(hops=MAX_HOPS + 1), "hops"),
        (Mode.CONSULT, HOSTED, ROOM, Origin(depth=MAX_DEPTH), "depth"),
        (Mode.CHILD_SESSION, HOSTED, Place(depth=MAX_DEPTH), Origin(), "depth"),
        (Mode.CHILD_SESSION, HOSTED, Place(children=MAX_CHILDREN), Origin(), "children"),
    ],
)
def test_each_refusal_has_its_reason_and_the_reason_its_words(mode, target, place, origin, code):
    assert dispatch.fault(mode, target, place, origin) == code
    assert "Scout" in reason.words(code, "Scout") or code in ("depth", "children", "hops")
    assert reason.words(code, "Scout")


@pytest.mark.parametrize(
    ("place", "origin"),
    [
        (Place(depth=MAX_DEPTH - 1), Origin(hops=MAX_HOPS, depth=MAX_DEPTH - 1)),
        (Place(children=MAX_CHILDREN - 1), Origin()),
    ],
)
def test_up_to_each_bound_it_is_permitted(place, origin):
    assert dispatch.fault(Mode.CHILD_SESSION, HOSTED, place, origin) == ""


@given(modes, targets, places, origins)
def test_a_narrower_policy_never_permits_more(mode, target, place, origin):
    unbound = Target(target.kind, Policy(), target.usable, target.active)
    if dispatch.fault(mode, target, place, origin) == "":
        assert dispatch.fault(mode, unbound, place, origin) == ""


@pytest.mark.parametrize(
    ("target", "origin"),
    [
        (Target("hosted", NOTES, granted=True), Origin()),
        (Target("hosted", Policy(sources=frozenset()), granted=False), Origin()),
        (Target("hosted", granted=False), Origin()),
        (HOSTED, Origin(asks=frozenset({"future_turn"}))),
        (HOSTED, Origin(asks=None)),
    ],
)
def test_what_is_granted_served_and_permitted_is_no_hindrance(target, origin):
    assert dispatch.fault(Mode.FUTURE_TURN, target, ROOM, origin) == ""
    assert dispatch.fault_of_active(target, ROOM, origin) == ""


@pytest.mark.parametrize("target", [Target("hosted", NOTES, granted=False), Target("hosted", served=False)])
def test_the_active_agent_is_kept_to_sources_and_placement_too(target):
    assert dispatch.fault_of_active(target, ROOM, Origin()) in ("source", "placement")


@given(modes, targets, places, origins)
def test_taking_a_grant_or_a_process_away_never_permits_more(mode, target, place, origin):
    less = Target(target.kind, target.policy, target.usable, target.active, granted=False, served=False)
    if dispatch.fault(mode, less, place, origin) == "":
        assert dispatch.fault(mode, target, place, origin) == ""


@pytest.mark.parametrize(
    ("own", "here", "granted"),
    [
        (None, None, []),
        (None, ["notes"], []),
        (["wiki", "notes"], None, ["notes", "wiki"]),
        (["wiki", "notes"], ["notes", "other"], ["notes"]),
        (["wiki"], [], []),
        (["wiki", "wiki"], ["wiki"], ["wiki"]),
    ],
)
def test_a_seat_has_the_sources_of_its_agent_that_its_session_grants(own, here, granted):
    assert dispatch.granted(own, here) == granted


def test_in_which_modes_an_agent_may_ask_follows_from_its_tools():
    assert dispatch.asks(None) is None
    assert dispatch.asks({"modes": ["consult"], "tools": None}) is None
    tools = {"send": "allowed", "consult": "denied", "advisor": "ask", "child_session": "owner"}
    assert dispatch.asks({"tools": tools}) == {"future_turn", "advisor"}
    assert dispatch.asks({"tools": {}}) == frozenset()


@given(modes, targets, places, origins)
def test_a_mode_may_be_turned_off_and_nothing_turns_it_on(mode, target, place, origin):
    without = Policy(frozenset(one for one in Mode if one is not mode), target.policy.namespaces)
    assert dispatch.fault(mode, Target(target.kind, without, target.usable, target.active), place, origin) != ""


@pytest.mark.parametrize(
    "stored", ["consult", 5, [], {"modes": "consult"}, {"modes": 5}, {"modes": [5, None]}, {"modes": {"a": 1}}]
)
def test_a_policy_that_cannot_be_read_permits_nothing(stored):
    read = dispatch.policy(stored)
    assert all(dispatch.fault(mode, Target("hosted", read), ROOM) for mode in Mode)


def test_a_policy_that_is_kept_is_read():
    assert dispatch.policy(None) == Policy()
    assert dispatch.policy({"modes": ["consult"]}) == Policy(frozenset({"consult"}))
    assert dispatch.policy({"namespaces": ["lab"], "modes": None}) == Policy(None, frozenset({"lab"}))
    assert dispatch.policy({"sources": ["notes"]}) == NOTES
