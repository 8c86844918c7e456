"""What people do about a message after it was said, with a second person watching."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.stage import ask, choose, message, say, unique
from tests.browser.test_look import FAINT

LIFE, NAPPER, SLOW = "/s/life/", "/s/with-napper/", "/s/with-slow/"
NARROW = {"width": 390, "height": 844}


def box(page: Page) -> Locator:
    return page.get_by_label("Message", exact=True)


def menu(said: Locator) -> Locator:
    """Opens a message's menu."""
    said.hover()
    said.get_by_label("More for this message").click()
    return said.locator(".menu-list")


def do(said: Locator, words: str) -> None:
    menu(said).get_by_role("button", name=words, exact=True).click()


def told(page: Page) -> Locator:
    return page.locator("[data-outcome]")


def tray(page: Page) -> Locator:
    return page.locator(".tray")


@pytest.fixture
def napper(sit):
    """Sam at an agent that is at work for as long as a test takes; afterwards everything is stopped."""
    page = sit("sam", NAPPER)
    ask(page, unique("question"), "Ask Napper")
    expect(page.locator(".streaming")).to_contain_text("Hm.")
    yield page
    page.request.post(
        f"/api/v1/sessions/{page.locator('earshot-session').get_attribute('data-session')}/stop",
        headers={"X-CSRFToken": page.locator("meta[name=csrf-token]").get_attribute("content") or ""},
    )


class TestEditing:
    def test_after_delivery_it_says_so_before_and_after_and_others_see_it_live(self, sit):
        sam, alex = sit("sam", LIFE), sit("alex", LIFE)
        before, after = unique("before"), unique("after")
        asked = ask(sam, before)
        expect(asked.locator(".fate")).to_contain_text("Answered")
        do(asked, "Edit")
        expect(asked.locator("[data-ahead]")).to_have_text("Mirror has read the old text; it will not read this one.")
        expect(asked.get_by_label("New text")).to_be_focused()
        asked.get_by_label("New text").fill(after)
        sam.keyboard.press("Enter")
        for page in (sam, alex):
            expect(message(page, after)).to_contain_text("Edited")
            expect(message(page, after)).to_contain_text("Mirror heard an earlier text")
            expect(message(page, before)).to_have_count(0)
        expect(told(sam)).to_have_text("Saved")
        message(alex, after).get_by_role("link", name="See what it said").click()
        expect(alex.locator(".steps")).to_contain_text(before)

    def test_before_delivery_the_new_text_takes_its_place(self, napper, sit):
        alex = sit("alex", NAPPER)
        before, after = unique("before"), unique("after")
        waits = ask(napper, before, "Ask Napper")
        do(waits, "Edit")
        ahead = waits.locator("[data-ahead]")
        expect(ahead).to_have_text("Napper has not got it yet: the new text takes its place.")
        waits.get_by_label("New text").fill(after)
        napper.keyboard.press("Enter")
        for page in (napper, alex):
            changed = message(page, after)
            expect(changed.locator(".fate:visible")).to_have_count(1)
            expect(changed.locator(".fate:visible")).to_contain_text("Waiting")
            expect(changed).not_to_contain_text("heard an earlier text")

    def test_the_form_stays_in_sight_whatever_comes_at_the_end(self, sit):
        page, other = sit("sam", LIFE), sit("alex", LIFE)
        first = unique("early")
        for text in (first, *(f"{unique('later')}\n\nand more" for _ in range(8))):
            choose(page, "People only")
            say(page, text)
            expect(message(page, text.split("\n")[0])).to_be_visible()
        early, field = message(page, first), message(page, first).get_by_label("New text")
        do(early, "Edit")
        expect(field).to_be_in_viewport(ratio=0.9)
        meanwhile = unique("meanwhile")
        choose(other, "People only")
        say(other, meanwhile)
        expect(message(page, meanwhile)).to_be_attached()
        expect(field).to_be_in_viewport(ratio=0.9)

    def test_escape_leaves_everything_as_it_was(self, sit):
        page = sit("sam", LIFE)
        text = unique()
        say(page, text)
        said = message(page, text)
        do(said, "Edit")
        said.get_by_label("New text").fill("something else")
        page.keyboard.press("Escape")
        expect(said.locator("form.panel")).to_have_count(0)
        expect(said.locator(".text")).to_have_text(text)
        expect(said).to_be_focused()

    def test_up_in_an_empty_composer_edits_the_last_own_message(self, sit):
        page = sit("sam", LIFE)
        text, after = unique(), unique("after")
        say(page, text)
        expect(message(page, text)).to_be_visible()
        box(page).press("ArrowUp")
        expect(page.get_by_label("New text")).to_have_value(text)
        page.get_by_label("New text").fill(after)
        page.keyboard.press("Enter")
        expect(message(page, after)).to_be_visible()
        box(page).fill("draft")
        box(page).press("ArrowUp")
        expect(page.get_by_label("New text")).to_have_count(0)

    def test_what_is_written_stays_while_the_message_is_rendered_anew(self, sit):
        sam, mo = sit("sam", LIFE), sit("mo", LIFE)
        text = unique()
        say(sam, text)
        said = message(sam, text)
        do(said, "Edit")
        said.get_by_label("New text").fill("half of a thou")
        do(message(mo, text), "Change who hears it")
        mo.locator("form.panel .choice label").first.click()
        mo.get_by_label("Why?").fill("it should know")
        mo.get_by_role("button", name="Let Mirror hear this").click()
        expect(said).to_contain_text("Was people only; Mo let Mirror hear it: it should know")
        expect(said.get_by_label("New text")).to_have_value("half of a thou")
        expect(said.get_by_label("New text")).to_be_focused()


class TestTheQueue:
    def test_it_stands_above_the_composer_and_is_withdrawn_there(self, napper, sit):
        mo, vic = sit("mo", NAPPER), sit("vic", NAPPER)
        text = unique("waits")
        ask(napper, text, "Ask Napper")
        expect(tray(napper)).to_contain_text(text)
        expect(tray(mo)).to_contain_text(f"Sam {text}")
        tray(napper).get_by_role("button", name=f"Withdraw: {text}").click()
        for page in (napper, mo, vic):
            expect(message(page, text).locator(".fate")).to_contain_text("Withdrawn")
        expect(tray(mo)).not_to_contain_text(text)
        expect(tray(vic)).not_to_contain_text(text)
        expect(told(napper)).to_have_text("Withdrawn")

    def test_what_waits_is_edited_from_there_too(self, napper):
        text, after = unique("waits"), unique("after")
        ask(napper, text, "Ask Napper")
        tray(napper).get_by_role("button", name=f"Edit: {text}").click()
        napper.get_by_label("New text").fill(after)
        napper.keyboard.press("Enter")
        expect(tray(napper)).to_contain_text(after)
        expect(tray(napper)).not_to_contain_text(text)

    def test_only_who_may_finds_withdraw_in_the_menu(self, napper, sit):
        alex, vic = sit("alex", NAPPER), sit("vic", NAPPER)
        text = unique("waits")
        ask(napper, text, "Ask Napper")
        expect(menu(message(alex, text)).get_by_role("button", name="Withdraw")).to_be_visible()
        expect(menu(message(vic, text)).get_by_role("button")).to_have_count(0)
        expect(message(vic, text).get_by_role("link", name="Every step")).to_be_visible()


class TestSteering:
    def test_it_reaches_the_running_turn_and_the_answer_takes_it_in(self, sit):
        sam, vic = sit("sam", SLOW), sit("vic", SLOW)
        ask(sam, unique("question"), "Ask Slow")
        expect(sam.locator(".streaming")).to_contain_text("Let me see.")
        choose(sam, "Ask Slow")
        expect(sam.locator("[data-how-words]")).to_have_text("Waits until Slow is done")
        sam.locator(".how label", has_text="Steer now").click()
        expect(sam.locator("[data-how-words]")).to_have_text("Slow gets this at its next step")
        text = unique("and mind this")
        say(sam, text)
        expect(message(vic, text).locator(".fate")).to_contain_text("Slow gets this at its next step")
        expect(message(vic, text)).to_contain_text("Steered Slow while it was at work")
        expect(vic.locator("[data-rows] article[data-kind=agent]").last).to_contain_text("With what you added.")
        expect(message(sam, text).locator(".fate")).to_contain_text("Answered")
        expect(tray(sam)).not_to_contain_text(text)
        choose(sam, "Ask Slow")
        expect(sam.locator("[data-how]")).to_be_hidden()
        sam.reload()
        expect(message(sam, text)).to_contain_text("Steered Slow while it was at work")

    def test_what_comes_too_late_says_so_and_can_be_sent_again(self, napper, sit):
        alex = sit("mo", NAPPER)
        choose(alex, "Ask Napper")
        alex.locator(".how label", has_text="Steer now").click()
        text = unique("steer")
        say(alex, text)
        steered = message(alex, text)
        expect(steered.locator(".fate")).to_contain_text("Napper gets this at its next step")
        box(napper).press("Control+.")
        expect(steered.locator(".fate")).to_contain_text("Napper had already finished")
        expect(tray(alex)).to_contain_text("1 not heard")
        expect(message(napper, text).locator("[data-again]")).to_be_hidden()
        steered.locator("[data-again]").click()
        expect(steered.locator(".fate:visible")).to_contain_text("Reached Napper")
        expect(tray(alex)).not_to_contain_text("not heard")
        box(alex).press("Control+.")

    def test_the_button_says_whether_it_asks_queues_or_steers(self, sit):
        page = sit("alex", "/s/with-slow/")
        choose(page, "Ask Slow")
        button = page.locator("[data-send-button]")
        expect(button).to_have_text("Ask Slow")
        say(page, unique("question"))
        expect(page.locator(".streaming")).to_be_visible()
        choose(page, "Ask Slow")
        expect(button).to_have_text("Queue for Slow")
        page.get_by_text("Steer now").click()
        expect(button).to_have_text("Steer Slow")
        choose(page, "People only")
        expect(button).to_have_text("Send to people only")
        choose(page, "Ask Slow")
        expect(page.locator(".streaming")).to_have_count(0, timeout=20_000)
        expect(button).to_have_text("Ask Slow")

    def test_what_may_not_steer_waits_and_says_why(self, sit):
        alex, sam = sit("alex", NAPPER), sit("sam", NAPPER)
        ask(alex, unique("of the installation's owner"), "Ask Napper")
        expect(sam.locator(".streaming")).to_contain_text("Hm.")
        choose(sam, "Ask Napper")
        sam.locator(".how label", has_text="Steer now").click()
        text = unique("steer")
        say(sam, text)
        words = "Waiting, Napper works for somebody whose turns are theirs alone"
        expect(message(sam, text).locator(".fate")).to_contain_text(words)
        expect(tray(sam)).to_contain_text(words)
        alex.get_by_label("More for Napper").click()
        alex.get_by_role("button", name="Stop everything here").click()
        expect(message(sam, text).locator(".fate")).to_contain_text("Stopped by Alex before Napper got it")
        expect(told(alex)).to_have_text("Stopped. No answer comes of it")

    def test_control_and_full_stop_ends_one_s_own_turn_and_says_whether_anything_ran(self, napper):
        expect(napper.get_by_role("button", name="Stop Napper")).to_be_visible()
        box(napper).press("Control+.")
        expect(told(napper)).to_have_text("Stopped. No answer comes of it")
        expect(napper.locator(".streaming")).to_have_count(0)
        box(napper).press("Control+.")
        expect(told(napper)).to_have_text("Nothing of yours was running")

    def test_a_viewer_may_neither_stop_nor_steer(self, napper, sit):
        vic = sit("vic", NAPPER)
        expect(vic.locator(".streaming")).to_contain_text("Hm.")
        expect(vic.get_by_role("button", name="Stop Napper")).to_have_count(0)
        expect(vic.locator("[data-how]")).to_have_count(0)
        box(vic).press("Control+.")
        expect(told(vic)).to_contain_text("Not done.")
        expect(napper.locator(".streaming")).to_have_count(1)

    def test_starting_afresh_leaves_a_quiet_line(self, sit):
        sam, vic = sit("sam", LIFE), sit("vic", LIFE)
        before = vic.locator("article[data-kind=system]").count()
        box(sam).press_sequentially("/new")
        expect(sam.locator("[data-translated]")).to_contain_text("starts the agent afresh")
        box(sam).press("Enter")
        expect(vic.locator("article[data-kind=system]")).to_have_count(before + 1)
        expect(vic.locator("article[data-kind=system]").last).to_contain_text("Sam started Mirror afresh")
        expect(message(sam, "/new")).to_have_count(0)


class TestWhoHearsIt:
    def test_one_is_brought_to_the_agent_with_its_text_before_one_s_eyes(self, sit):
        sam, vic = sit("sam", LIFE), sit("vic", LIFE)
        text = unique("kumquat")
        say(sam, text)
        said = message(sam, text)
        do(said, "Change who hears it")
        expect(said.get_by_role("button", name="Choose who hears it")).to_be_disabled()
        said.locator("form.panel .choice label").first.click()
        expect(said.locator(".preview")).to_have_text(text)
        expect(said.locator(".hears:visible")).to_contain_text("cannot be taken back")
        said.get_by_label("Why?").fill("for the sum")
        said.get_by_role("button", name="Let Mirror hear this").click()
        expect(message(vic, text)).to_contain_text("Was people only; Sam let Mirror hear it: for the sum")
        expect(message(vic, text).locator(".fate")).to_contain_text("Answered")
        do(said, "Change who hears it")
        said.locator("form.panel .choice label", has_text="People only").click()
        said.get_by_label("Why?").fill("a slip")
        said.get_by_role("button", name="Make it people only").click()
        expect(message(vic, text)).to_contain_text("Sam made it people only: a slip")
        expect(message(vic, text)).to_contain_text("Mirror is not shown this any more; what it was told stays told")

    def test_several_at_once_by_keyboard_and_what_fails_stays_chosen(self, sit):
        sam, vic = sit("sam", "/s/bring/"), sit("vic", "/s/bring/")
        short, long = unique("short"), unique("long")
        say(sam, short)
        say(sam, f"{long} {'x' * 9000}")
        expect(message(sam, long)).to_be_visible()
        sam.get_by_role("link", name="Bring to Mirror").focus()
        sam.keyboard.press("Enter")
        sam.keyboard.press("Space")
        expect(sam.locator(".bring-count")).to_have_text("1 chosen")
        message(sam, short).get_by_role("checkbox").check()
        sam.get_by_role("button", name="Look at them").click()
        sheet = sam.get_by_role("dialog")
        expect(sheet).to_contain_text("2 messages, exactly as an agent gets them")
        sheet.locator(".choice label").first.click()
        sheet.get_by_label("Why?").fill("for the plan")
        sheet.get_by_role("button", name="Let Mirror hear these").click()
        expect(sheet.get_by_role("status")).to_have_text("One message brought; one could not be and stays chosen")
        expect(sheet.locator(".bring-outcome:visible")).to_contain_text("Not done.")
        expect(message(vic, short)).to_contain_text("Sam let Mirror hear it: for the plan")
        sam.keyboard.press("Escape")
        expect(message(sam, long).get_by_role("checkbox")).to_be_checked()
        expect(message(sam, short).get_by_role("checkbox")).to_have_count(0)
        expect(vic.get_by_role("link", name="Bring to")).to_have_count(0)

    def test_without_scripts_it_is_a_page(self, sit):
        page = sit("sam", "/s/bring/", live=False, java_script_enabled=False)
        text = unique("plain")
        say_by_form(page, text)
        page.get_by_role("link", name="Bring to Mirror").click()
        page.get_by_role("checkbox", name=text).check()
        page.get_by_role("button", name="Look at them").click()
        page.locator(".choice label").first.click()
        page.get_by_label("Why?").fill("because")
        page.get_by_role("button", name="Bring them").click()
        expect(page.locator(".outcomes")).to_contain_text(f"{text}: brought")


def say_by_form(page: Page, text: str) -> None:
    box(page).fill(text)
    page.get_by_role("button", name="Send").click()
    expect(message(page, text)).to_be_visible()


class TestShortcuts:
    def test_lowkey_moves_the_choice_before_anything_is_sent(self, sit):
        page = sit("sam", LIFE)
        choose(page, "Ask Mirror")
        text = unique()
        box(page).press_sequentially(f"#lowkey {text}")
        expect(box(page)).to_have_value(text)
        expect(page.locator("[data-translated]")).to_contain_text("#lowkey: People only. Undo")
        expect(page.get_by_role("button", name="Send to people only")).to_be_visible()
        with page.expect_request("**/messages") as sent:
            box(page).press("Enter")
        assert sent.value.post_data_json["source"] == {"client": "web", "shortcut": "#lowkey"}
        expect(message(page, text)).to_contain_text("People only")
        expect(page.locator("[data-translated]")).to_be_hidden()

    def test_once_its_text_is_gone_a_command_is_told_of(self, sit):
        page = sit("sam", LIFE)
        box(page).press_sequentially("/human a word")
        expect(page.locator("[data-translated]")).to_contain_text("People only")
        box(page).fill("")
        box(page).press_sequentially("/stop")
        expect(page.locator("[data-translated]")).to_contain_text("Enter stops what runs for you")

    def test_undo_gives_back_the_words_and_the_hearers(self, sit):
        page = sit("sam", LIFE)
        choose(page, "Ask Mirror")
        text = unique()
        box(page).press_sequentially(f"#lowkey {text}")
        page.locator("[data-translated]").get_by_role("button", name="Undo").click()
        expect(box(page)).to_have_value(f"#lowkey {text}")
        expect(page.get_by_role("button", name="Ask Mirror")).to_be_visible()
        with page.expect_request("**/messages") as sent:
            box(page).press("Enter")
        assert sent.value.post_data_json["text"] == f"#lowkey {text}"
        assert sent.value.post_data_json["audience"] == "active_agent"
        assert sent.value.post_data_json["source"] == {"client": "web"}

    def test_control_z_takes_back_what_was_typed_since_and_then_the_translation(self, sit):
        page = sit("sam", LIFE)
        choose(page, "Ask Mirror")
        box(page).focus()
        page.keyboard.insert_text("#lowkey not for agents")
        expect(box(page)).to_have_value("not for agents")
        expect(page.get_by_role("button", name="Send to people only")).to_be_visible()
        page.keyboard.press("Control+z")
        expect(box(page)).to_have_value("#lowkey not for agents")
        expect(page.locator("[data-send-button]")).to_have_text("Ask Mirror")
        box(page).fill("")
        box(page).press_sequentially("/human ")
        # One step to take back: keys pressed one by one are as many as the time between them makes of them.
        page.keyboard.insert_text("hello")
        expect(box(page)).to_have_value("hello")
        page.keyboard.press("Control+z")
        expect(box(page)).to_have_value("")
        expect(page.locator("[data-send-button]")).to_have_text("Send to people only")
        page.keyboard.press("Control+z")
        expect(box(page)).to_have_value("/human ")
        expect(page.locator("[data-send-button]")).to_have_text("Ask Mirror")

    def test_who_may_not_ask_is_told_so_and_nothing_moves_nor_goes_out(self, sit):
        page = sit("vic", LIFE)
        text = unique("/agent hello")
        box(page).press_sequentially(text)
        expect(page.locator("[data-translated]")).to_contain_text("you cannot speak to an agent here")
        expect(page.get_by_role("button", name="Send to people only")).to_be_visible()
        sent = []
        page.on("request", lambda request: sent.append(request) if request.method == "POST" else None)
        box(page).press("Enter")
        page.get_by_role("button", name="Send to people only").click()
        page.wait_for_timeout(300)
        assert sent == []
        expect(box(page)).to_have_value(text)
        page.locator("[data-translated]").get_by_role("button", name="Take it as text").click()
        box(page).press("Enter")
        expect(message(page, text)).to_contain_text("People only")

    def test_a_name_at_the_start_offers_its_person(self, sit):
        page = sit("sam", LIFE)
        box(page).press_sequentially("@alex hello")
        expect(page.get_by_role("button", name="Send to people only")).to_be_visible()
        page.locator("[data-translated]").get_by_role("button", name="Send to Alex alone").click()
        expect(page.locator("[data-send-button]")).to_have_text("Send to Alex alone")
        expect(box(page)).to_have_value("@alex hello")


class TestFilters:
    def test_they_hold_for_what_comes_and_keep_the_place(self, sit):
        sam, alex = sit("sam", "/s/filter/"), sit("alex", "/s/filter/")
        talk, question = unique("talk"), unique("question")
        say(sam, talk)
        ask(sam, question)
        expect(message(alex, question).locator(".fate")).to_contain_text("Answered")
        alex.get_by_role("link", name="People", exact=True).first.click()
        alex.wait_for_url("**?show=human")
        expect(message(alex, question)).to_be_hidden()
        expect(message(alex, talk)).to_be_visible()
        more, other = unique("talk"), unique("question")
        ask(sam, other)
        say(sam, more)
        expect(message(alex, more)).to_be_visible()
        expect(message(alex, other)).to_be_hidden()
        alex.get_by_role("link", name="Agents", exact=True).click()
        expect(message(alex, other)).to_be_visible()
        expect(message(alex, more)).to_be_hidden()
        alex.go_back()
        expect(message(alex, more)).to_be_visible()
        expect(message(alex, other)).to_be_hidden()
        alex.reload()
        expect(alex.locator(".shows [aria-current]")).to_have_text("People")
        alex.get_by_role("link", name="All", exact=True).click()
        for text in (talk, question, more, other):
            expect(message(alex, text)).to_have_count(1)
            expect(message(alex, text)).to_be_visible()


class TestDeleting:
    def test_it_asks_once_and_leaves_a_stone_that_owns_up(self, sit):
        sam, alex = sit("sam", LIFE), sit("alex", LIFE)
        text = unique("kumquat")
        asked = ask(sam, text)
        expect(asked.locator(".fate")).to_contain_text("Answered")
        expect(message(alex, text)).to_be_visible()
        key = asked.get_attribute("id")
        do(asked, "Delete")
        expect(asked.locator("form.panel")).to_contain_text("It had reached Mirror; that cannot be taken back.")
        sam.keyboard.press("Enter")
        for page in (sam, alex):
            stone = page.locator(f"#{key}")
            expect(stone).to_contain_text("Deleted. It had reached Mirror; that cannot be taken back")
            expect(stone.locator(".text")).to_have_count(0)
            expect(stone).to_contain_text("Mirror is not shown this any more")


class TestByKeyboardAndNarrow:
    def test_the_menu_is_reached_and_walked_by_keys(self, sit):
        page = sit("sam", LIFE)
        text = unique()
        say(page, text)
        said = message(page, text)
        said.get_by_label("More for this message").focus()
        page.keyboard.press("Enter")
        expect(said.get_by_role("button", name="Edit")).to_be_focused()
        page.keyboard.press("Escape")
        expect(said.get_by_label("More for this message")).to_be_focused()
        expect(said.locator(".menu-list")).to_be_hidden()

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_on_a_narrow_page_everything_is_reached_and_can_be_read(self, sit, scheme):
        page = sit("sam", LIFE, viewport=NARROW, color_scheme=scheme, has_touch=True)
        text = unique()
        say(page, text)
        said = message(page, text)
        expect(said).to_be_visible()
        said.get_by_label("More for this message").click()
        page.wait_for_timeout(200)
        assert page.evaluate(FAINT) == []
        said.get_by_role("button", name="Change who hears it").click()
        said.locator("form.panel .choice label").first.click()
        said.get_by_label("Why?").fill("x")
        page.wait_for_timeout(200)
        assert page.evaluate(FAINT) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        said.get_by_role("button", name="Let Mirror hear this").click()
        expect(said).to_contain_text("Was people only; Sam let Mirror hear it: x")
