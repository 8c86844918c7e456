"""One agent asks another: at a person's wish and of its own accord, before the eyes of somebody who may not."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.stage import ask, choose, message, unique
from tests.browser.test_look import FAINT

ROOM = "/s/with-asker/"

NARROW = {"width": 390, "height": 844}
TOOLS = {"tools": {"consult": "allowed", "advisor": "allowed"}}


def keep_to(page: Page, handle: str, **policy: Any) -> None:
    """The owner changes what an agent is kept to, over REST."""
    token = page.locator("meta[name=csrf-token]").get_attribute("content") or ""
    answer = page.request.patch(f"/api/v1/agents/{handle}", data=policy, headers={"X-CSRFToken": token})
    assert answer.ok, answer.text()


@pytest.fixture
def alex(sit) -> Page:
    """Whoever owns the place, who lets the active agent ask others."""
    page: Page = sit("alex", ROOM)
    keep_to(page, "asker", **TOOLS)
    return page


def calls(page: Page, way: str, send: str) -> str:
    """Has Sage called in this way; what was said."""
    choose(page, "To Sage")
    page.locator(".ways:visible label").filter(has_text=way).click()
    text = unique()
    page.get_by_label("Message", exact=True).fill(text)
    page.get_by_role("button", name=send, exact=True).click()
    return text


def title(card: Locator) -> Locator:
    return card.locator(".card > .card-head .words")


def working(page: Page, name: str) -> Locator:
    """What the row of an agent at work says that it is at."""
    return page.locator(".streaming", has=page.locator(".author", has_text=name)).locator(".working")


def follow(page: Page, question: Locator, last: int) -> None:
    """To the question comes an answer, a card that leads back to it; then the asker goes on with its own."""
    asked = question.get_attribute("data-id")
    back = page.locator(f"article[data-author=sage][data-answers='{asked}']")
    expect(title(back)).to_have_text("To Asker")
    expect(back.locator(".card .text")).to_have_text("All of it.")
    expect(back.get_by_role("link", name="See the question")).to_have_attribute("href", f"#m-{asked}")
    there = question.get_by_role("link", name="See the answer").get_attribute("href") or ""
    assert there.startswith("#answer-")
    expect(back.locator(there)).to_have_count(1)
    expect(page.locator("[data-rows] article[data-author=asker]", has_text="So it is.")).to_have_count(last)
    expect(page.get_by_text("waiting for Sage")).to_have_count(0)


def test_a_person_has_one_ask_another_and_everybody_sees_who_asks_whom(sit, alex):
    sam, vic = sit("sam", ROOM), sit("vic", ROOM)
    answered = sam.locator("[data-rows] article[data-author=asker]", has_text="So it is.").count()
    for n, (way, send, wish, question) in enumerate(
        [
            ("Asker asks Sage", "Have Asker ask Sage", "Asker asks Sage", "Asks Sage"),
            ("Quick advice", "Get Asker quick advice", "Quick advice to Asker by Sage", "Asks Sage for quick advice"),
        ],
        1,
    ):
        text = calls(sam, way, send)
        for page in (sam, vic):
            expect(title(message(page, text))).to_have_text(wish)
            expect(working(page, "Asker")).to_have_text("is waiting for Sage")
        for page in (sam, vic):
            asked = page.locator("article[data-author=asker][data-asks]", has_text=text)
            expect(title(asked)).to_have_text(question)
            follow(page, asked, answered + n)
    text = calls(sam, "Side session", "Open a side session with Sage")
    for page in (sam, vic):
        expect(title(message(page, text))).to_have_text("Side session with Sage")
    expect(message(sam, text).get_by_role("link", name="Open")).to_be_visible()
    expect(message(vic, text).get_by_role("link", name="Open")).to_have_count(0)
    expect(vic.locator("#composer")).not_to_contain_text("Sage")
    expect(vic.locator(".ways, input[name=audience][value^=agent]")).to_have_count(0)


def test_one_asks_of_its_own_accord_and_its_row_says_for_whom_it_waits(sit, alex):
    sam, vic = sit("sam", ROOM), sit("vic", ROOM)
    answered = vic.locator("[data-rows] article[data-author=asker]", has_text="So it is.").count()
    ask(sam, unique(), "Ask Asker")
    for page in (sam, vic):
        expect(page.locator(".streaming", has_text="Let me ask.")).to_be_visible()
        expect(working(page, "Asker")).to_have_text("is waiting for Sage")
    late = sit("vic", ROOM)
    expect(working(late, "Asker")).to_have_text("is waiting for Sage")
    question = vic.locator("article[data-author=asker][data-asks]", has_text="what is it?").last
    expect(title(question)).to_have_text("Asks Sage")
    follow(vic, question, answered + 1)


def test_before_it_is_sent_it_says_who_hears_it(sit, alex):
    sam = sit("sam", ROOM)
    choose(sam, "To Sage")
    for way, hears in (("Asker asks Sage", "gets the question alone."), ("Quick advice", "without its memory.")):
        sam.locator(".ways:visible label").filter(has_text=way).click()
        expect(sam.locator(".hears:visible")).to_contain_text("Asker hears this and puts it to Sage")
        expect(sam.locator(".hears:visible")).to_contain_text(hears)


def test_what_the_policy_of_the_named_one_does_not_permit_is_not_offered(sit, alex):
    try:
        keep_to(alex, "sage", modes=["future_turn", "consult"])
        sam = sit("sam", ROOM)
        choose(sam, "To Sage")
        expect(sam.locator(".ways:visible label")).to_have_text(["Ask Sage", "Asker asks Sage"])
    finally:
        keep_to(alex, "sage", modes=None)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_and_wide_the_cards_fit_and_can_be_read(sit, alex, scheme):
    sam = sit("sam", ROOM, color_scheme=scheme)
    text = calls(sam, "Asker asks Sage", "Have Asker ask Sage")
    asked = sam.locator("article[data-author=asker][data-asks]", has_text=text).get_attribute("data-id")
    expect(sam.locator(f"article[data-answers='{asked}'] .card")).to_be_visible()
    for size in ({"width": 1280, "height": 800}, NARROW):
        sam.set_viewport_size(size)
        choose(sam, "To Sage")
        sam.locator(".ways:visible label").filter(has_text="Quick advice").click()
        assert sam.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert sam.evaluate(FAINT) == []
