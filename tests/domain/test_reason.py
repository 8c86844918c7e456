"""Reasons: closed codes, words for people."""

from __future__ import annotations

import pytest

from messaging.domain import reason

CODES = sorted({*reason.DELIVERY, *reason.TURN, *reason.SOURCE, *reason.CALL})


@pytest.mark.parametrize("code", CODES)
def test_each_code_has_words_and_fits_its_column(code):
    assert len(code) <= 48
    told = reason.words(code, "Mirror")
    assert told
    assert "{" not in told


def test_an_unknown_code_has_no_words():
    assert reason.words("sk-secret") == ""
    assert not reason.is_passing("sk-secret")


def test_a_name_with_braces_is_a_name():
    assert reason.words("provider_auth", "{0} {agent}").startswith("{0} {agent}")


def test_passing_reasons_are_reasons():
    assert set(reason.TURN) >= reason.PASSING


@pytest.mark.parametrize("code", ["provider_auth", "provider_nonsense", "empty_answer", "withheld", "no_provider"])
def test_final_reasons_do_not_pass(code):
    assert not reason.is_passing(code)
