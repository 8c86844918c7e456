"""The audience control: unmistakable, usable by keyboard alone, and never left on an agent by accident."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stage import ask, choose, message, say, unique


def box(page: Page):
    return page.get_by_label("Message", exact=True)


def standing(page: Page) -> str:
    return page.locator("input[name=audience]:checked").get_attribute("value") or ""


def test_by_keyboard_alone(sit):
    page = sit("alex")
    page.locator("input[name=audience]:checked").focus()
    page.keyboard.press("ArrowRight")
    assert standing(page) == "active_agent"
    expect(page.get_by_role("button", name="Ask Mirror")).to_be_visible()
    page.keyboard.press("ArrowRight")
    assert standing(page) == "agent:scout"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert standing(page) == "participants"
    while not box(page).evaluate("(node) => node === document.activeElement"):
        page.keyboard.press("Tab")
    text = unique()
    page.keyboard.type(text)
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("second line")
    page.keyboard.press("Enter")
    expect(message(page, text).locator(".text")).to_contain_text("second line")
    expect(box(page)).to_be_focused()


def test_the_radio_group_is_one_stop_and_says_who_hears(sit):
    page = sit("alex")
    group = page.get_by_role("group", name="Who hears this")
    expect(group.get_by_role("radio")).to_have_count(8)
    expect(group.get_by_role("radio", name="To Mirror, everyone here sees it")).to_be_visible()
    described = group.get_by_role("radio", name="People only").get_attribute("aria-describedby")
    expect(page.locator(f"#{described}")).to_contain_text("No agent does.")
    page.locator("input[name=audience]:checked").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") != "audience"


@pytest.mark.parametrize(
    ("label", "tone", "button"),
    [
        ("People only", "people", "Send to people only"),
        ("Ask Mirror", "agent", "Ask Mirror"),
        ("To Scout", "agent", "Ask Scout"),
        ("People and agents", "agent", "Tell people and agents"),
        ("Mo", "direct", "Send to Mo alone"),
    ],
)
def test_sign_words_edge_and_button_say_the_same(sit, label, tone, button):
    page = sit("alex", reduced_motion="reduce")
    choose(page, label)
    expect(page.get_by_role("button", name=button)).to_be_visible()
    hears = page.locator(".hears:visible")
    expect(hears).to_have_count(1)
    expect(hears.locator("svg")).to_be_visible()
    edge = page.locator("#composer").evaluate("(form) => getComputedStyle(form).borderTopColor")
    wanted = page.evaluate(
        """(tone) => {
          const probe = document.body.appendChild(document.createElement("i"));
          probe.dataset.tone = tone;
          probe.className = "probe";
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(".probe { color: var(--tone-band) }");
          document.adoptedStyleSheets = [sheet];
          const color = getComputedStyle(probe).color;
          probe.remove();
          return color;
        }""",
        tone,
    )
    assert edge == wanted


def test_after_a_question_it_falls_back_to_people(sit):
    page = sit("alex")
    ask(page, unique("question"))
    assert standing(page) == "participants"
    expect(page.get_by_role("button", name="Send to people only")).to_be_visible()


def test_a_pin_keeps_the_agent(sit):
    page = sit("alex")
    choose(page, "Ask Mirror")
    page.locator(".pin").click()
    say(page, unique("question"))
    assert standing(page) == "active_agent"
    page.locator(".pin").click()
    say(page, unique("question"))
    assert standing(page) == "participants"


@pytest.mark.parametrize("label", ["Ask Mirror", "Mo"])
def test_what_is_picked_while_the_choices_come_anew_stays_picked(sit, label):
    page = sit("alex")
    held = []

    def hold(route):
        held.append(route)

    page.route("**/part/who*", hold)
    page.evaluate("document.querySelector('earshot-session').members.changed()")
    for _ in range(100):
        if held:
            break
        page.wait_for_timeout(100)
    assert len(held) == 1
    choose(page, label)
    picked = standing(page)
    page.evaluate("document.querySelector('.choice').id = 'before'")
    held[0].continue_()
    expect(page.locator("#before")).to_have_count(0)
    assert standing(page) == picked
    expect(page.get_by_role("button", name="Send to people only")).to_have_count(0)


def test_focus_stays_in_the_group_when_the_choices_come_anew(sit):
    page = sit("alex")
    page.locator("input[name=audience]:checked").focus()
    page.evaluate("document.querySelector('.choice').id = 'before'")
    page.evaluate("document.querySelector('earshot-session').members.changed()")
    expect(page.locator("#before")).to_have_count(0)
    assert page.evaluate("document.activeElement.value") == "participants"


def test_enter_on_nothing_sends_nothing_and_scolds_nobody(sit):
    page = sit("alex")
    box(page).press("Enter")
    expect(box(page)).to_be_focused()
    expect(page.locator(".pending")).to_have_count(0)


def test_alone_with_an_agent_it_stays_with_the_agent(sit):
    page = sit("alex", "/s/alone/")
    assert standing(page) == "active_agent"
    expect(page.locator(".pin")).to_be_hidden()
    say(page, unique("question"))
    assert standing(page) == "active_agent"


@pytest.mark.parametrize(
    ("slug", "written", "stands"), [("visited", "", "participants"), ("visited-2", "words", "active_agent")]
)
def test_once_somebody_comes_an_empty_composer_begins_with_people_and_words_stay_with_the_agent(
    sit, slug, written, stands
):
    page = sit("alex", f"/s/{slug}/")
    assert standing(page) == "active_agent"
    box(page).fill(written)
    token = page.locator("meta[name=csrf-token]").get_attribute("content")
    came = page.request.post(
        f"/api/v1/sessions/{slug}/members", data={"handle": "sam"}, headers={"X-CSRFToken": token or ""}
    )
    assert came.ok, came.text()
    expect(page.locator("#people")).to_contain_text("Sam")
    expect(page.locator(f"input[name=audience][value={stands}]")).to_be_checked()
    say(page, unique("question"))
    expect(page.locator("input[name=audience][value=participants]")).to_be_checked()


def test_a_reply_to_an_answer_goes_to_that_agent(sit):
    page = sit("sam")
    asked = ask(page, unique("question"))
    asked.get_by_role("link", name="See the answer").click()
    answer = page.locator("[data-rows] article[data-kind=agent]").last
    answer.hover()
    answer.get_by_role("link", name="Reply").click()
    expect(page.locator(".replying")).to_contain_text("Replying to Mirror: I repeat what reached me")
    assert standing(page) == "active_agent"
    text = unique("again")
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    expect(message(page, text)).to_contain_text("In reply to Mirror")
    expect(page.locator(".replying")).to_be_hidden()


def test_escape_leaves_and_the_draft_stays_with_its_audience(sit):
    page = sit("alex")
    text = unique("draft")
    choose(page, "To Scout")
    box(page).fill(text)
    page.keyboard.press("Escape")
    expect(box(page)).not_to_be_focused()
    page.goto("/")
    page.goto("/s/welcome/")
    expect(box(page)).to_have_value(text)
    assert standing(page) == "agent:scout"
    expect(page.get_by_role("button", name="Ask Scout")).to_be_visible()
    say(page, text)
    expect(message(page, text)).to_be_visible()
    page.reload()
    expect(box(page)).to_have_value("")


def test_a_draft_stays_in_its_session(sit):
    page = sit("alex")
    box(page).fill(unique("draft"))
    page.goto("/s/alone/")
    expect(box(page)).to_have_value("")


def test_nothing_is_sent_while_a_word_is_still_being_composed(sit):
    page = sit("alex")
    text = unique("ime")
    box(page).fill(text)
    box(page).evaluate(
        "(node) => node.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))"
    )
    expect(box(page)).to_have_value(text)


def test_a_viewer_finds_people_to_speak_to_and_no_agent(sit):
    page = sit("vic")
    expect(page.get_by_role("radio", name="People only")).to_be_visible()
    expect(page.get_by_role("radio", name="To Mirror, everyone here sees it")).to_have_count(0)


def test_naming_an_agent_to_people_is_said_not_to_reach_it(sit):
    page = sit("alex")
    hint = page.locator("[data-hint]")
    box(page).fill("what does @mirror think?")
    expect(hint).to_have_text("Mirror will not hear this")
    choose(page, "Ask Mirror")
    expect(hint).not_to_contain_text("will not hear")
    choose(page, "Mo")
    expect(hint).to_have_text("Mirror will not hear this")


def test_naming_another_agent_than_is_asked_is_said_so_too(sit):
    page = sit("alex")
    hint = page.locator("[data-hint]")
    choose(page, "Ask Mirror")
    box(page).fill("@mirror, what does @scout think?")
    expect(hint).to_have_text("Scout will not hear this")
    choose(page, "People and agents")
    expect(hint).not_to_contain_text("will not hear")


def test_who_loses_a_right_while_writing_is_told_and_the_words_go_to_nobody_else(sit):
    sam, mo = sit("sam", "/s/life/"), sit("mo", "/s/life/")
    choose(sam, "Ask Mirror")
    text = unique("kept")
    box(sam).fill(text)
    as_role(mo, "sam", "viewer")
    try:
        expect(sam.locator("[data-hint]")).to_contain_text(
            "“Ask Mirror” is not open to you any more. Your text is kept"
        )
        expect(sam.get_by_role("button", name="Choose who hears this")).to_be_disabled()
        box(sam).press("Enter")
        expect(box(sam)).to_have_value(text)
        sam.reload()
        expect(box(sam)).to_have_value(text)
        expect(sam.get_by_role("button", name="Choose who hears this")).to_be_disabled()
        expect(sam.locator("[data-hint]")).to_contain_text("Your text is kept")
        choose(sam, "People only")
        expect(sam.locator("[data-hint]")).not_to_contain_text("any more")
    finally:
        as_role(mo, "sam", "member")
    box(sam).press("Enter")
    expect(message(mo, text)).to_contain_text("People only")


def as_role(page: Page, handle: str, role: str) -> None:
    """Somebody who may gives somebody a role."""
    token = page.locator("meta[name=csrf-token]").get_attribute("content") or ""
    session = page.locator("earshot-session").get_attribute("data-session")
    path = f"/api/v1/sessions/{session}/members/{handle}"
    assert page.request.patch(path, headers={"X-CSRFToken": token}, data={"role": role}).ok
