"""Who may hear: the closed types, and that nothing else can be made of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging.domain import audience
from messaging.domain.audience import ActiveAgent, Agents, AudienceError, Everyone, Participants, People, System

handles = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)
several = st.lists(handles, min_size=1, max_size=8, unique_by=str.casefold).map(tuple)
every = st.one_of(
    st.sampled_from([Participants(), ActiveAgent(), Everyone(), System()]),
    several.map(Agents),
    several.map(People),
)


@given(every.filter(lambda one: not isinstance(one, System)))
def test_what_is_written_is_read_back(one):
    assert audience.parse(audience.to_words(one)) == one


@given(every)
def test_what_is_stored_is_read_back(one):
    assert audience.from_stored(one.kind, getattr(one, "handles", ())) == one


@given(every)
def test_only_three_classes_are_bound_for_agents(one):
    assert audience.is_agent_bound(one) == isinstance(one, ActiveAgent | Agents | Everyone)


@pytest.mark.parametrize(
    "words",
    [
        "system",
        "",
        "people",
        "agent",
        "agent:",
        "agent:two words",
        "participant:",
        "participants:sam",
        ["agent:scout", "participant:sam"],
        ["participants", "active_agent"],
        ["agent:scout", "agent:Scout"],
        ["agent:a|b"],
        [],
        [f"agent:a{n}" for n in range(33)],
        "PARTICIPANTS",
        " participants",
    ],
)
def test_words_that_are_no_audience_are_refused(words):
    with pytest.raises(AudienceError):
        audience.parse(words)


@given(st.text(max_size=40))
def test_any_text_is_an_audience_or_a_clear_error(words):
    try:
        found = audience.parse(words)
    except AudienceError as error:
        assert str(error)
    else:
        assert audience.to_words(found) == words


@given(st.sampled_from(["participants", "active_agent", "everyone", "system"]), several)
def test_targets_where_none_belong_have_no_constructor(kind, targets):
    with pytest.raises(AudienceError):
        audience.from_stored(kind, targets)


@pytest.mark.parametrize("kind", [Participants, ActiveAgent, Everyone, System])
def test_plain_classes_take_no_targets_at_all(kind):
    with pytest.raises(TypeError):
        kind(("scout",))
