"""Which text may come in, and how much of it; handles, and the envelope's value classes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging.domain.envelope import Envelope, EnvelopeError, FromKind
from messaging.domain.handle import is_handle, is_slug, key
from messaging.domain.text import MAX_AGENT_INPUT_BYTES, MAX_TEXT_BYTES, BadText, TooLong, check_message


@pytest.mark.parametrize("text", ["", "  \n", "a\x00b", "\ud800", "a\udfffb"])
def test_text_that_cannot_be_kept_is_refused(text):
    with pytest.raises(BadText):
        check_message(text, agent_bound=False)


@pytest.mark.parametrize(("agent_bound", "bound"), [(False, MAX_TEXT_BYTES), (True, MAX_AGENT_INPUT_BYTES)])
@pytest.mark.parametrize("char", ["a", "é", "🙂"])
def test_bounds_count_bytes_not_characters(agent_bound, bound, char):
    fits = char * (bound // len(char.encode()))
    check_message(fits, agent_bound=agent_bound)
    with pytest.raises(TooLong):
        check_message(fits + char, agent_bound=agent_bound)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=200))
def test_any_other_text_is_taken_as_it_is(text):
    if text.strip():
        check_message(text, agent_bound=True)


@pytest.mark.parametrize(("one", "other"), [("Sam", "sam"), ("a-b", "a_b"), ("ALEX", "alex")])
def test_handles_that_look_alike_collide(one, other):
    assert key(one) == key(other)


@pytest.mark.parametrize("text", ["", "a b", "a.b", "ä", "a|b", "a" * 65, "sam\n"])
def test_what_is_no_handle(text):
    assert not is_handle(text)


@pytest.mark.parametrize(
    ("text", "good"), [("a.b", True), ("..", False), ("a/b", False), ("", False), ("x" * 64, True)]
)
def test_slugs(text, good):
    assert is_slug(text) is good


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("on_behalf_of", {"on_behalf_of": "two words"}),
        ("on_behalf_of", {"on_behalf_of": "a|to:b"}),
        ("to", {"to": ("sam", "x\ny")}),
        ("re", {"re": "a.b"}),
        ("from_id", {"from_id": "a b"}),
    ],
)
def test_an_envelope_names_the_field_that_does_not_fit(field, values):
    with pytest.raises(EnvelopeError) as caught:
        Envelope(**{"from_kind": FromKind.HUMAN, "from_id": "sam"} | values)
    assert caught.value.field == field


def test_an_envelope_takes_both_value_classes():
    made = Envelope(FromKind.AGENT, "scout", ("sam", "#room", "*"), "aaron@ssh", "A-1_b")
    assert made.on_behalf_of == "aaron@ssh"
