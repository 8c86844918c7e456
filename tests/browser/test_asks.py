"""What agents ask: before the eyes of whom they ask, live and whole, and of nobody else."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.stage import ask, message, unique
from tests.browser.test_look import FAINT

KEEPER, POLLER = "/s/with-keeper/", "/s/with-poller/"
NARROW = {"width": 390, "height": 844}


def asks(page: Page) -> Locator:
    return page.locator(".asks .ask")


def answers(page: Page, agent: str) -> Locator:
    return page.locator(f"[data-rows] article[data-author={agent}]")


@pytest.fixture
def alex(sit) -> Page:
    """Whoever owns the place; nothing is asked of them yet."""
    page: Page = sit("alex", KEEPER)
    expect(asks(page)).to_have_count(0)
    return page


def test_approved_before_the_owners_eyes_it_is_done_once(sit, alex):
    sam, vic = sit("sam", KEEPER), sit("vic", KEEPER)
    before = answers(alex, "keeper").count()
    ask(sam, unique(), "Ask Keeper")
    expect(asks(alex)).to_have_count(1)
    card = asks(alex)
    expect(card).to_contain_text("Keeper wants to call send")
    expect(card).to_contain_text("for @sam")
    expect(card.locator("pre")).to_contain_text('"text": "from the keeper"')
    for page in (sam, vic):
        expect(asks(page)).to_have_count(0)
    expect(alex.locator(".streaming .working")).to_have_text("is waiting for your word")
    assert answers(alex, "keeper").count() == before
    card.get_by_role("button", name="Approve").click()
    expect(alex.get_by_role("status").filter(has_text="Keeper wants to call send: you approved it")).to_be_visible()
    expect(asks(alex)).to_have_count(0)
    for page in (alex, sam, vic):
        expect(answers(page, "keeper")).to_have_count(before + 2)
        expect(answers(page, "keeper").nth(before)).to_contain_text("from the keeper")
        expect(answers(page, "keeper").last).to_contain_text("That was it.")


def test_declined_it_is_not_done_and_the_agent_goes_on(sit, alex):
    sam = sit("sam", KEEPER)
    before = answers(sam, "keeper").count()
    ask(sam, unique(), "Ask Keeper")
    asks(alex).get_by_role("button", name="Decline").click()
    expect(answers(sam, "keeper")).to_have_count(before + 1)
    expect(answers(sam, "keeper").last).to_contain_text("That was it.")


def test_stopped_the_card_goes_at_once(sit, alex):
    sam = sit("sam", KEEPER)
    ask(sam, unique(), "Ask Keeper")
    expect(asks(alex)).to_have_count(1)
    sam.keyboard.press("Control+.")
    expect(asks(alex)).to_have_count(0)


def test_a_question_goes_to_whoever_asked_and_their_choice_comes_back(sit):
    sam, alex = sit("sam", POLLER), sit("alex", POLLER)
    text = unique()
    ask(sam, text, "Ask Poller")
    expect(asks(sam)).to_contain_text("Which colour?")
    expect(asks(alex)).to_have_count(0)
    asks(sam).get_by_role("button", name="Green").click()
    expect(sam.get_by_role("status").filter(has_text="you said: Green")).to_be_visible()
    expect(answers(sam, "poller").last).to_contain_text("So be it.")
    expect(message(sam, text)).to_be_visible()


def test_they_wait_on_a_page_of_their_own_too_where_what_was_said_before_stands(sit):
    sam = sit("sam", POLLER)
    ask(sam, unique(), "Ask Poller")
    expect(asks(sam)).to_have_count(1)
    elsewhere = sit("sam", KEEPER)
    expect(elsewhere.get_by_role("link", name="for your word in other sessions")).to_be_visible()
    elsewhere.goto("/")
    elsewhere.get_by_role("link", name="Agents wait for your word").click()
    expect(elsewhere.get_by_text("Which colour?").first).to_be_visible()
    elsewhere.get_by_role("button", name="Blue").first.click()
    expect(elsewhere.get_by_text("Poller asks you: you said: Blue").first).to_be_visible()
    expect(asks(sam)).to_have_count(0)


def test_it_is_read_and_pressed_by_keys_alone_and_stands_out_on_both_grounds(sit):
    sam = sit("sam", POLLER)
    sam.set_viewport_size(NARROW)
    ask(sam, unique(), "Ask Poller")
    expect(asks(sam)).to_have_count(1)
    for scheme in ("light", "dark"):
        sam.emulate_media(color_scheme=scheme)
        assert sam.evaluate(FAINT) == []
    assert sam.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    asks(sam).get_by_role("button", name="Blue").focus()
    sam.keyboard.press("Enter")
    expect(asks(sam)).to_have_count(0)
