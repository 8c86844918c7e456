"""Agents called by name: asked for a turn, or for a session of their own, by whoever may."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stage import choose, message, say, unique
from tests.services.earshot import Installation

POLICY = """
from messaging.mailbox.models import Seat
Seat.objects.filter(handle="archivist").update(policy={policy!r})
"""


def box(page: Page):
    return page.get_by_label("Message", exact=True)


def standing(page: Page) -> str:
    return page.locator("input[name=audience]:checked").get_attribute("value") or ""


def way(page: Page, words: str):
    return page.get_by_role("group", name="How it is called").get_by_role("radio", name=words)


def narrowed(installation: Installation, policy: dict[str, list[str]] | None) -> None:
    installation.manage("shell", "--verbosity", "0", "-c", POLICY.format(policy=policy))


def test_one_is_asked_by_name_and_answers_in_a_turn_of_its_own(sit):
    sam, vic = sit("sam", "/s/aside/"), sit("vic", "/s/aside/")
    choose(sam, "To Archivist")
    expect(way(sam, "To Archivist")).to_be_checked()
    expect(sam.locator(".hears:visible")).to_contain_text("Only Archivist hears this.")
    text = unique()
    say(sam, text)
    for page in (sam, vic):
        expect(message(page, text)).to_contain_text("To Archivist")
        answer = page.locator("[data-rows] article[data-author=archivist]", has_text=text)
        expect(answer).to_be_visible()
    assert standing(sam) == "participants"


def test_a_side_session_is_opened_and_its_card_leads_there(sit):
    sam, vic = sit("sam", "/s/aside/"), sit("vic", "/s/aside/")
    choose(sam, "To Archivist")
    sam.locator(".ways:visible label").filter(has_text="Side session").click()
    expect(sam.locator(".hears:visible")).to_contain_text("Archivist and you alone are in it")
    text = unique()
    box(sam).fill(text)
    sam.get_by_role("button", name="Open a side session with Archivist").click()
    card, seen = message(sam, text), message(vic, text)
    expect(card).to_contain_text("Side session with Archivist")
    expect(seen).to_contain_text("Side session with Archivist")
    expect(seen.get_by_role("link", name="Open")).to_have_count(0)
    expect(sam.locator("[data-rows] article[data-author=archivist]", has_text=text)).to_have_count(0)
    card.get_by_role("link", name="Open").click()
    sam.wait_for_url("**/s/*/")
    expect(sam.get_by_role("banner").or_(sam.locator(".bar"))).to_contain_text("Side session of Aside")
    expect(sam.locator("[data-rows] article[data-author=archivist]", has_text=text)).to_be_visible()
    sam.get_by_role("link", name="Aside", exact=True).first.click()
    sam.wait_for_url("**/s/aside/")
    expect(message(sam, text).get_by_role("link", name="Open")).to_be_visible()
    vic.reload()
    expect(message(vic, text)).to_be_visible()
    expect(message(vic, text).get_by_role("link", name="Open")).to_have_count(0)


def test_by_keyboard_alone(sit):
    page = sit("sam", "/s/aside/")
    page.locator("input[name=audience]:checked").focus()
    while standing(page) != "agent:archivist":
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    expect(way(page, "To Archivist")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(way(page, "Side session with Archivist")).to_be_checked()
    expect(page.get_by_role("button", name="Open a side session with Archivist")).to_be_visible()
    page.keyboard.press("Tab")
    expect(box(page)).to_be_focused()
    assert standing(page) == "agent:archivist"


def test_after_a_side_session_another_is_meant_anew_and_a_draft_keeps_its_way(sit):
    page = sit("sam", "/s/aside/")
    choose(page, "Ask Mirror")
    page.locator(".ways:visible label").filter(has_text="Side session").click()
    text = unique()
    box(page).fill(text)
    page.reload()
    expect(page.get_by_role("button", name="Open a side session with Mirror")).to_be_visible()
    expect(box(page)).to_have_value(text)
    box(page).press("Enter")
    expect(message(page, text)).to_contain_text("Side session with Mirror")
    choose(page, "Ask Mirror")
    expect(page.get_by_role("button", name="Ask Mirror")).to_be_visible()


def test_a_name_at_the_start_offers_that_agent(sit):
    page = sit("sam", "/s/aside/")
    box(page).press_sequentially("@archivist what of it?")
    page.locator("[data-translated]").get_by_role("button", name="Ask Archivist").click()
    assert standing(page) == "agent:archivist"
    expect(way(page, "To Archivist")).to_be_checked()


def test_a_viewer_is_offered_none(sit):
    page = sit("vic", "/s/aside/")
    expect(page.locator(".choice").first).to_be_visible()
    expect(page.locator(".ways")).to_have_count(0)
    expect(page.locator("input[name=audience][value^=agent]")).to_have_count(0)
    expect(page.locator("#composer")).not_to_contain_text("Archivist")


@pytest.mark.parametrize("written_meanwhile", [False, True])
def test_a_refusal_is_said_at_the_composer_and_the_text_is_kept(sit, installation, written_meanwhile):
    page = sit("sam", "/s/aside-2/")
    choose(page, "To Archivist")
    text = unique()
    box(page).fill(text)
    narrowed(installation, {"modes": []})
    try:
        if written_meanwhile:
            page.route("**/api/v1/sessions/*/messages", lambda route: (page.wait_for_timeout(300), route.continue_()))
        box(page).press("Enter")
        if written_meanwhile:
            box(page).fill("something else")
            expect(page.locator(".pending")).to_contain_text("Archivist cannot be asked in this way.")
            expect(page.locator(".pending")).to_contain_text(text)
            expect(box(page)).to_have_value("something else")
        else:
            said = "Archivist cannot be asked in this way. Your text is kept."
            expect(page.locator("[data-hint]")).to_contain_text(said)
            expect(box(page)).to_have_value(text)
            expect(page.locator(".pending")).to_have_count(0)
            choose(page, "People only")
            expect(page.locator("[data-hint]")).not_to_contain_text("cannot be asked")
    finally:
        narrowed(installation, None)
