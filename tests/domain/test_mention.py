"""Names in a text: who is named, and who is named in vain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging.domain.mention import named, unheard

AGENTS = ["mirror", "scout-2"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@mirror, will you?", ["mirror"]),
        ("so, (@Mirror) and @SCOUT_2!", ["mirror", "scout-2"]),
        ("> @mirror", ["mirror"]),
        ("mail mirror@mirror.example or a@mirror", []),
        ("@mirrors and @mirror-2", []),
        ("mirror", []),
        ("@nobody", []),
        ("https://example.org/@mirror", []),
        ("@@mirror", []),
        ("", []),
    ],
)
def test_a_handle_after_the_sign_is_named_and_nothing_else(text, found):
    assert named(text, AGENTS) == found


def test_who_hears_it_is_not_named_in_vain():
    assert unheard("@mirror and @scout-2", AGENTS, {"mirror"}) == ["scout-2"]
    assert unheard("@mirror", AGENTS, {"mirror"}) == []


@given(st.text(max_size=200), st.lists(st.sampled_from(AGENTS), unique=True))
def test_whoever_is_told_of_is_an_agent_that_stands_there_and_does_not_hear_it(text, hearers):
    found = unheard(text, AGENTS, hearers)
    assert set(found) <= set(AGENTS) - set(hearers)
    assert all(f"@{handle}".replace("-", "_") in text.casefold().replace("-", "_") for handle in found)


@given(st.text(alphabet="@ab-_. ", max_size=4000))
def test_it_takes_any_text(text):
    assert set(named(text, AGENTS)) <= set(AGENTS)
