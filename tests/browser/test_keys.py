"""By keys alone: a short way to the message box, one stop for the transcript, arrows within it and within menus."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.stage import message, say, unique

LIFE = "/s/life/"
FOCUSED = "document.activeElement"


def stands_on(page: Page) -> str:
    return str(page.evaluate(f"{FOCUSED}.closest('.message')?.id ?? {FOCUSED}.id"))


def test_the_first_stop_leads_to_the_message_box(sit):
    page = sit("sam", LIFE)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the message box")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Message", exact=True)).to_be_focused()
    text = unique()
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    expect(message(page, text)).to_be_visible()


def test_by_tab_the_transcript_is_one_message_and_arrows_lead_to_the_others(sit):
    page = sit("sam", LIFE)
    first, second = unique("first"), unique("second")
    for text in (first, second):
        say(page, text)
        expect(message(page, text)).to_be_visible()
    page.locator("#transcript").focus()
    page.keyboard.press("Tab")
    expect(message(page, second)).to_be_focused()
    stops = 0
    while stands_on(page).startswith("m-"):
        assert stands_on(page) == message(page, second).get_attribute("id")
        page.keyboard.press("Tab")
        stops += 1
    assert stops < 8
    message(page, second).focus()
    page.keyboard.press("ArrowUp")
    expect(message(page, first)).to_be_focused()
    page.keyboard.press("Tab")
    assert stands_on(page) == message(page, first).get_attribute("id")
    page.keyboard.press("ArrowDown")
    expect(message(page, second)).to_be_focused()


def test_a_menu_is_walked_by_arrows_left_by_escape_and_passed_by_tab(sit):
    page = sit("sam", LIFE)
    text = unique()
    say(page, text)
    said = message(page, text)
    more = said.get_by_label("More for this message")
    more.focus()
    page.keyboard.press("ArrowDown")
    expect(said.get_by_role("button", name="Edit")).to_be_focused()
    page.keyboard.press("End")
    expect(said.get_by_role("link", name="Every step")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(said.get_by_role("button", name="Edit")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(said.get_by_role("link", name="Every step")).to_be_focused()
    page.keyboard.press("Escape")
    expect(more).to_be_focused()
    expect(said.locator(".menu-list")).to_be_hidden()
    page.keyboard.press("ArrowUp")
    expect(said.get_by_role("link", name="Every step")).to_be_focused()
    page.keyboard.press("Tab")
    expect(said.locator(".menu-list")).to_be_hidden()
    assert page.evaluate(f"{FOCUSED}.closest('.menu')") is None


def test_a_key_that_opens_a_menu_stands_on_its_first_line_a_mouse_does_not(sit):
    page = sit("sam", LIFE)
    text = unique()
    say(page, text)
    said = message(page, text)
    said.get_by_label("More for this message").focus()
    page.keyboard.press("Enter")
    expect(said.get_by_role("button", name="Edit")).to_be_focused()
    page.keyboard.press("Escape")
    said.get_by_label("More for this message").click()
    expect(said.locator(".menu-list")).to_be_visible()
    expect(said.get_by_label("More for this message")).to_be_focused()
