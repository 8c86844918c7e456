"""Taking back a message with its answers, sending again elsewhere, a stopped turn's line, whom one brings to: live."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.stage import ask, choose, message, say, unique
from tests.browser.test_life import LIFE, do, told

NAPPER = "/s/with-napper/"


def answer_to(page: Page, asked: Locator) -> Locator:
    key = (asked.get_attribute("id") or "").removeprefix("m-")
    return page.locator(f'article.message[data-answers="{key}"]')


def change(page: Page, **fields: object) -> None:
    """Changes the session's settings by the API, as its owner."""
    answer = page.request.patch(
        f"/api/v1/sessions/{page.locator('earshot-session').get_attribute('data-session')}",
        headers={"X-CSRFToken": page.locator("meta[name=csrf-token]").get_attribute("content") or ""},
        data=fields,
    )
    assert answer.ok, answer.text()


@pytest.fixture
def scout_too(sit):
    """A session of Alex's in which Scout sits beside Mirror; Mirror is active again afterwards."""
    alex = sit("alex", "/s/life/")
    session = alex.locator("earshot-session").get_attribute("data-session")
    token = alex.locator("meta[name=csrf-token]").get_attribute("content") or ""
    alex.request.post(
        f"/api/v1/sessions/{session}/members", headers={"X-CSRFToken": token}, data={"handle": "scout", "role": "agent"}
    )
    yield alex
    change(alex, active_agent="mirror")
    alex.request.delete(f"/api/v1/sessions/{session}/members/scout", headers={"X-CSRFToken": token})


class TestAnswers:
    def test_deleted_along_with_the_question_everywhere(self, sit):
        sam, vic = sit("sam", LIFE), sit("vic", LIFE)
        text = unique("secret")
        asked = ask(sam, text)
        expect(answer_to(vic, asked)).to_contain_text(text)
        key = asked.get_attribute("id")
        do(asked, "Delete")
        form = asked.locator("form.panel")
        expect(form).to_contain_text("Mirror answered it; the answer may repeat what it said.")
        expect(form.get_by_label("Take this answer back, too")).to_be_checked()
        form.get_by_role("button", name="Delete").click()
        for page in (sam, vic):
            expect(page.locator(f"#{key}")).to_contain_text("Deleted")
            expect(page.get_by_text("Deleted by Sam: it answered a message that was deleted").last).to_be_visible()
            expect(page.locator("[data-rows]")).not_to_contain_text(text)

    def test_left_where_the_box_is_cleared(self, sit):
        sam = sit("sam", LIFE)
        text = unique("kumquat")
        asked = ask(sam, text)
        expect(asked.locator(".fate")).to_contain_text("Answered")
        answer = answer_to(sam, asked)
        key = asked.get_attribute("id")
        do(asked, "Delete")
        asked.get_by_label("Take this answer back, too").uncheck()
        asked.locator("form.panel").get_by_role("button", name="Delete").click()
        expect(sam.locator(f"#{key}")).to_contain_text("Deleted")
        expect(answer).to_contain_text(text)

    def test_people_only_shows_no_agents_preview_and_takes_the_answer_along(self, sit):
        sam = sit("sam", LIFE)
        text = unique("secret")
        asked = ask(sam, text)
        expect(asked.locator(".fate")).to_contain_text("Answered")
        answer = answer_to(sam, asked)
        do(asked, "Change who hears it")
        form = asked.locator("form.panel")
        box = form.get_by_label("Take this answer back, too")
        expect(form.get_by_text("exactly as an agent gets it")).to_be_visible()
        expect(box).to_be_hidden()
        form.locator(".choice label").filter(has_text="People only").click()
        expect(form.get_by_text("exactly as an agent gets it")).to_be_hidden()
        expect(form.get_by_text("no agent is given it from now on")).to_be_visible()
        expect(box).to_be_checked()
        form.get_by_label("Why?").fill("a secret")
        form.get_by_role("button", name="Make it people only").click()
        expect(answer).to_contain_text("Was for people and agents; Sam made it people only: a secret")
        expect(answer).to_contain_text("Mirror is not shown this any more")

    def test_an_answer_that_comes_while_the_form_is_open_is_offered_there(self, sit):
        sam = sit("sam", "/s/with-pacer/")
        asked = ask(sam, unique("question"), "Ask Pacer")
        do(asked, "Delete")
        form = asked.locator("form.panel")
        expect(form).to_contain_text("Pacer answered it; the answer may repeat what it said.")
        expect(form.get_by_label("Take this answer back, too")).to_be_checked()
        form.get_by_role("button", name="Keep it").click()


class TestSendingAgain:
    def test_elsewhere_it_says_so_before_and_goes_there(self, sit, scout_too):
        sam = sit("sam", LIFE)
        asked = ask(sam, unique("again"))
        expect(asked.locator(".fate")).to_contain_text("Answered")
        change(scout_too, active_agent="scout")
        expect(sam.get_by_role("link", name="Bring to Scout")).to_be_visible()
        do(asked, "Send again")
        form = asked.locator("form.panel")
        expect(form).to_contain_text("Mirror got it before; it goes to Scout now.")
        expect(asked.locator('.fate[data-agent="scout"]')).to_have_count(0)
        form.get_by_role("button", name="Send to Scout").click()
        expect(asked.locator('.fate[data-agent="scout"]')).to_be_visible()

    def test_to_the_same_agent_one_press_does_it(self, sit):
        sam = sit("sam", LIFE)
        asked = ask(sam, unique("again"))
        expect(asked.locator(".fate")).to_contain_text("Answered")
        do(asked, "Send again")
        expect(told(sam)).to_have_text("Sent again")
        expect(answer_to(sam, asked)).to_have_count(2)
        expect(asked.locator("form.panel")).to_have_count(0)

    def test_whom_one_brings_to_changes_at_once(self, sit, scout_too):
        sam, vic = sit("sam", LIFE), sit("vic", LIFE)
        expect(sam.get_by_role("link", name="Bring to Mirror")).to_be_visible()
        change(scout_too, active_agent="scout")
        expect(sam.get_by_role("link", name="Bring to Scout")).to_be_visible()
        expect(sam.get_by_role("link", name="Bring to Mirror")).to_have_count(0)
        expect(vic.get_by_role("link", name="Bring to")).to_have_count(0)
        sam.get_by_role("link", name="Bring to Scout").click()
        expect(sam.locator(".bring-bar")).to_be_visible()


class TestAStoppedTurn:
    WORDS = "Napper was stopped and gave no answer"

    def stop(self, page: Page) -> None:
        page.get_by_role("button", name="Stop Napper").click()
        expect(page.locator(".streaming")).to_have_count(0)

    def test_its_line_stays_until_the_question_is_sent_again_and_a_reload_shows_the_same(self, sit):
        sam = sit("sam", NAPPER)
        asked = ask(sam, unique("stopped"), "Ask Napper")
        expect(sam.locator(".streaming")).to_contain_text("Hm.")
        self.stop(sam)
        key = asked.get_attribute("id")
        line = sam.locator(f"#{key} .turn-note")
        expect(line).to_have_text(self.WORDS)
        other = unique("another")
        choose(sam, "People only")
        say(sam, other)
        expect(message(sam, other)).to_be_visible()
        expect(line).to_have_text(self.WORDS)
        sam.reload()
        expect(line).to_have_text(self.WORDS)
        do(asked, "Send again")
        expect(sam.locator(".streaming")).to_contain_text("Hm.")
        expect(line).to_have_count(0)
        sam.reload()
        expect(sam.locator(".streaming")).to_contain_text("Hm.")
        expect(line).to_have_count(0)
        self.stop(sam)
        expect(line).to_have_count(1)
        sam.reload()
        expect(line).to_have_count(1)


class TestBringing:
    def test_the_sheet_has_the_agent_that_the_button_named_and_says_that_each_is_answered(self, sit):
        sam = sit("sam", "/s/bring/")
        texts = [unique("one"), unique("two")]
        choose(sam, "People only")
        for text in texts:
            say(sam, text)
            expect(message(sam, text)).to_be_visible()
        sam.get_by_role("link", name="Bring to Mirror").click()
        for text in texts:
            message(sam, text).get_by_role("checkbox").check()
        sam.get_by_role("button", name="Look at them").click()
        sheet = sam.get_by_role("dialog")
        expect(sheet.get_by_text("2 messages: Mirror will answer each of them.")).to_be_visible()
        expect(sheet.locator("input[value=active_agent]")).to_be_checked()
        sheet.get_by_label("Why?").fill("for the plan")
        sheet.get_by_role("button", name="Let Mirror hear these").click()
        for text in texts:
            expect(answer_to(sam, message(sam, text))).to_have_count(1)
