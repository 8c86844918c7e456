"""The scripted provider does as it is told, attempt by attempt."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from messaging.agents import providers
from messaging.agents.providers import ProviderError
from messaging.agents.providers.base import PULSE
from tests.agents.requests import heard, request

SCRIPT = [[{"say": "half"}, {"fail": "provider_cut", "wait": 3}], [{"say": "all "}, {"say": "of it"}]]


def test_each_attempt_has_its_steps_and_the_last_ones_stay():
    asked = request(heard(1, "go"), script=SCRIPT)
    scripted = providers.get("scripted")
    with pytest.raises(ProviderError) as failed:
        list(scripted.stream(asked))
    assert (failed.value.reason, failed.value.wait) == ("provider_cut", 3)
    for attempt in (2, 3):
        assert list(scripted.stream(replace(asked, attempt=attempt))) == ["all ", "of it"]


def test_each_step_of_an_attempt_may_have_its_own_and_the_last_ones_stay():
    script = [[{"fail": "provider_cut"}], [[{"say": "one"}], [{"say": "two"}, {"say": "!"}]]]
    asked = replace(request(heard(1, "go"), script=script), attempt=2)
    scripted = providers.get("scripted")
    said = [list(scripted.stream(replace(asked, step=step))) for step in (1, 2, 3)]
    assert said == [["one"], ["two", "!"], ["two", "!"]]


def test_a_pause_keeps_a_pulse():
    began = time.monotonic()
    bits = list(providers.get("scripted").stream(request(heard(1, "go"), script=[[{"pause": 2.5 * PULSE}]])))
    assert bits == ["", "", ""]
    assert time.monotonic() - began >= 2.5 * PULSE


@pytest.mark.parametrize("script", [None, [], "say", [{"say": "x"}], [[{}]], [["x"]], [[[{}]]], [[[[]]]]])
def test_what_is_no_script_is_refused(script):
    with pytest.raises(ProviderError) as failed:
        list(providers.get("scripted").stream(request(heard(1, "go"), script=script)))
    assert failed.value.reason == "bad_settings"


@pytest.mark.parametrize("name", ["", "Mirror", "gpt", "__class__"])
def test_an_unknown_provider_is_told_apart(name):
    with pytest.raises(ProviderError) as failed:
        providers.get(name)
    assert failed.value.reason == "no_provider"
