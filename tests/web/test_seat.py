"""See as an agent: its mailbox as it lies, with a line where it was started afresh."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.utils import timezone

from collab.web.presenters.mail import mail
from messaging.actions.delete import delete
from messaging.actions.fresh_start import fresh_start
from messaging.mailbox.models import Summary
from messaging.transcript import read
from messaging.transcript.view import MailRow, RecapView
from tests.cast import person
from tests.web.scene import source, words
from tests.web.test_message import NOON

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


def numbered(*numbers: int) -> list[MailRow]:
    return [MailRow(n, "heard", "x", "alex", "human", "text", withheld=False, at=NOON, disposition="") for n in numbers]


def test_a_summary_stands_below_the_rows_that_it_stands_for():
    shown = mail(numbered(1, 2, 3, 4), "Mirror", recaps=[RecapView(1, 3, "in short")])
    assert [(one.within, one.recap) for one in shown] == [(True, ""), (True, ""), (True, "in short"), (False, "")]


def test_a_summary_of_rows_on_two_pages_stands_on_the_later_one():
    recaps = [RecapView(2, 5, "in short")]
    earlier, later = mail(numbered(1, 2, 3), "Mirror", 0, recaps, 4), mail(numbered(4, 5, 6), "Mirror", 0, recaps)
    assert [(one.within, one.recap) for one in earlier] == [(False, ""), (True, ""), (True, "")]
    assert [(one.within, one.recap) for one in later] == [(True, ""), (True, "in short"), (False, "")]


def kept(scene, first: int, last: int, text: str, **more: Any) -> Summary:
    return Summary.objects.create(
        seat=scene.seat("mirror"), level=0, first=first, last=last, text=text, made_at=timezone.now(), **more
    )


RECAP = "Mirror remembers this part as:"


def test_a_summary_stands_in_its_place_and_what_it_stands_for_is_dimmed(scene, browser_of):
    for words_said in ("the first", "the second"):
        scene.asked("sam", words_said)
    kept(scene, 1, 2, "in short: one question")
    page = source(browser_of("vic").get(SEAT))
    assert page.count("data-within") == 2
    assert page.index("an answer to the first") < page.index(RECAP) < page.index("in short") < page.index("the second")


def test_a_summary_that_is_withheld_or_in_another_or_empty_never_shows(scene, browser_of):
    scene.asked("sam", "the first")
    whole = kept(scene, 1, 1, "kumquat of old", withheld_at=timezone.now())
    kept(scene, 1, 1, "kumquat in part", into=whole.id)
    kept(scene, 2, 2, "")
    page = source(browser_of("vic").get(SEAT))
    assert RECAP not in page
    assert "data-within" not in page
    assert "kumquat" not in page


def test_a_summary_from_before_a_fresh_start_is_in_nothing_and_not_shown(scene, browser_of):
    scene.asked("sam", "the first")
    kept(scene, 1, 2, "in short")
    assert RECAP in source(browser_of("vic").get(SEAT))
    fresh_start(person("sam"), scene.session)
    assert RECAP not in source(browser_of("vic").get(SEAT))


def test_once_a_row_is_taken_back_its_summary_is_shown_no_more(scene, browser_of):
    asked = scene.asked("sam", "the first")
    kept(scene, 1, 2, "in short")
    delete(person("sam"), asked.id)
    assert "in short" not in source(browser_of("vic").get(SEAT))


def test_a_summary_is_for_members_alone(scene, browser_of):
    scene.asked("sam", "the first")
    kept(scene, 1, 2, "in short")
    answer = browser_of("xan").get(SEAT)
    assert answer.status_code == 404
    assert "in short" not in source(answer)
