"""A mirror may be slow, so that one can watch what becomes of a slow answer."""

from __future__ import annotations

import time

import pytest

from messaging.agents import providers
from messaging.agents.providers import mirror
from messaging.agents.providers.base import PULSE, ProviderError
from tests.agents.requests import heard, request


def bits(**settings):
    return providers.get("mirror").stream(request(heard(1, "hello"), **settings))


def test_it_falls_silent_after_its_first_words_and_beats_meanwhile():
    began = time.monotonic()
    told = list(bits(pause=2 * PULSE))
    assert time.monotonic() - began >= 2 * PULSE
    assert told[0] == mirror.WORDS
    assert told[1:-1].count("") == len(told) - 2 >= 2
    assert told[-1].endswith("Alex: hello")


def test_unless_told_it_does_not():
    assert "" not in list(bits())


@pytest.mark.parametrize("pause", [-1, 61, "long", True, None])
def test_a_pause_that_is_none_is_refused(pause):
    with pytest.raises(ProviderError) as refused:
        list(bits(pause=pause))
    assert refused.value.reason == "bad_settings"
