"""See as an agent: its mailbox as it lies, with a line where it was started afresh."""

from __future__ import annotations

import re

import pytest

from messaging.actions.fresh_start import fresh_start
from messaging.transcript import read
from tests.cast import person
from tests.web.scene import source, words

SEAT = "/s/welcome/as/mirror/"
LINE = "Started afresh here. What stands above is no longer given to Mirror."
pytestmark = pytest.mark.django_db


def seat(browser, query: str = "") -> tuple[str, list[str], list[str]]:
    """The page, the numbers of its rows that are past, and of the others."""
    page = source(browser.get(f"{SEAT}{query}"))
    rows = re.findall(r'<li class="mail-row"([^>]*)>.*?<span class="mail-number">(?:<[^>]*>)?([^<]*)<', page)
    past = [number for marks, number in rows if "data-past" in marks]
    return page, past, [number for marks, number in rows if "data-past" not in marks]


def test_before_a_fresh_start_nothing_is_past_and_no_line_stands(scene, browser_of):
    scene.asked("sam", "the first")
    page, past, now = seat(browser_of("vic"))
    assert (past, now) == ([], ["1", "2"])
    assert "mail-afresh" not in page


def test_a_line_stands_where_it_was_started_afresh_and_what_is_above_is_dimmed(scene, browser_of):
    scene.asked("sam", "the first")
    fresh_start(person("sam"), scene.session)
    page, past, now = seat(browser_of("vic"))
    assert (past, now) == (["1", "2"], [])
    assert LINE in words(browser_of("vic").get(SEAT))
    scene.asked("sam", "the second")
    scene.say("sam", "and one that waits", "active_agent")
    page, past, now = seat(browser_of("vic"))
    assert (past, now) == (["1", "2"], ["3", "4", "\N{EN DASH}"])
    assert page.count("mail-afresh") == 1
    assert page.index("an answer to the first") < page.index("mail-afresh") < page.index("the second")


def test_on_pages_further_back_all_is_past_and_the_line_stands_once(scene, browser_of, monkeypatch):
    monkeypatch.setattr(read, "MOST_MAIL", 2)
    for text in ("one", "two"):
        scene.asked("sam", text)
    fresh_start(person("sam"), scene.session)
    scene.asked("sam", "three")
    found = [seat(browser_of("vic"), query) for query in ("", "?before=5", "?before=3")]
    assert [(past, now) for _, past, now in found] == [([], ["5", "6"]), (["3", "4"], []), (["1", "2"], [])]
    assert ["mail-afresh" in page for page, *_ in found] == [False, True, False]
