"""What happens shows on every open page, in order, without a reload, and without moving what is read."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stage import ask, choose, message, record, recorded, say, unique

ORDER = ["queued", "delivered", "responded"]


def streaming(page: Page):
    return page.locator(".streaming")


def test_two_browsers_see_the_same_states_in_order(sit):
    """The second question waits while the first is answered, so that no state is too short to be seen."""
    alex, sam = sit("alex", "/s/with-pacer/"), sit("sam", "/s/with-pacer/")
    first, second = unique("first"), unique("second")
    for page in (alex, sam):
        record(page, second)
    ask(alex, first, "Ask Pacer")
    ask(alex, second, "Ask Pacer")
    for page in (alex, sam):
        expect(message(page, second).locator(".fate")).to_contain_text("Waiting, Pacer is busy")
    for page in (alex, sam):
        expect(message(page, second).locator(".fate")).to_contain_text("Answered")
        assert recorded(page) == ORDER


def test_people_only_talk_shows_in_both_browsers(sit):
    alex, sam = sit("alex"), sit("sam")
    text = unique()
    say(sam, text)
    for page in (alex, sam):
        expect(message(page, text)).to_contain_text("People only")


def test_a_streamed_answer_grows_and_is_announced_once_when_it_is_whole(sit):
    page = sit("sam", "/s/with-talker/")
    page.evaluate("""() => {
      window.announced = [];
      const place = document.querySelector("[data-announcer]");
      new MutationObserver(() => window.announced.push(place.textContent)).observe(place, { childList: true });
    }""")
    ask(page, unique("question"), "Ask Talker")
    expect(streaming(page)).to_contain_text("A long answer.")
    expect(streaming(page)).to_contain_text("It goes on.")
    assert page.evaluate("window.announced") == []
    assert streaming(page).evaluate("(row) => row.closest('[aria-live]')") is None
    expect(page.locator("[data-rows] article[data-kind=agent]").last).to_contain_text("It ends.")
    expect(streaming(page)).to_have_count(0)
    assert page.evaluate("window.announced") == ["Talker answered: A long answer. It goes on. It ends."]


def test_an_answer_looks_while_it_comes_as_it_does_when_it_is_whole(sit):
    page = sit("alex", "/s/with-writer/")
    ask(page, unique("question"), "Ask Writer")
    coming = page.locator(".streaming .text")
    expect(coming.locator("li")).to_have_count(2)
    shape = "(node) => node.innerText.replace(/\\s+/g, ' ')"
    words = coming.evaluate(shape)
    assert "https://" not in words
    assert "**" not in words
    assert "<b>this</b>" in words
    expect(coming.locator("h5")).to_have_text("Title")
    expect(coming.locator("a, b")).to_have_count(0)
    whole = page.locator("[data-rows] article[data-kind=agent] .text").last
    expect(whole).to_contain_text("Done.")
    expect(page.locator(".streaming")).to_have_count(0)
    assert whole.evaluate(shape) == f"{words} Done."
    expect(whole.locator("a")).to_have_attribute("href", "https://example.org/a")


def test_who_comes_in_midway_sees_all_that_was_said_so_far(sit):
    alex = sit("alex", "/s/with-talker/")
    ask(alex, unique("question"), "Ask Talker")
    expect(streaming(alex)).to_contain_text("It goes on.")
    expect(streaming(sit("sam", "/s/with-talker/"))).to_contain_text("A long answer. It goes on.")


def test_what_one_types_fast_stays_in_its_order(sit):
    page = sit("alex")
    texts = [unique(f"line {n}") for n in range(8)]
    for text in texts:
        say(page, text)
    expect(message(page, texts[-1])).to_be_visible()
    shown = page.locator("[data-rows] article .text").all_inner_texts()
    assert [text for text in shown if text in texts] == texts


def test_what_comes_does_not_move_who_reads_further_up(sit):
    alex, sam = sit("alex"), sit("sam", viewport={"width": 900, "height": 500})
    for n in range(12):
        say(alex, unique(f"line {n}"))
    last = unique("last")
    say(alex, last)
    expect(message(sam, last)).to_be_in_viewport()
    sam.locator(".scroll").evaluate("(box) => { box.scrollTop = 40; }")
    sam.wait_for_timeout(100)
    before = sam.locator(".scroll").evaluate("(box) => box.scrollTop")
    texts = [unique("news") for _ in range(3)]
    for text in texts:
        say(alex, text)
    pill = sam.get_by_role("button", name="3 new")
    expect(pill).to_be_visible()
    assert sam.locator(".scroll").evaluate("(box) => box.scrollTop") == before
    pill.click()
    expect(message(sam, texts[-1])).to_be_in_viewport()
    expect(pill).to_be_hidden()


def test_a_turn_that_fails_says_why_and_its_pieces_vanish(sit):
    page = sit("alex", "/s/with-broken/")
    asked = ask(page, unique("question"), "Ask Broken")
    expect(asked).to_contain_text("Broken could not answer: Broken's model refused its key")
    expect(streaming(page)).to_have_count(0)
    expect(asked.locator(".fate")).to_contain_text("Reached Broken")
    page.reload()
    expect(message(page, "question").last).to_contain_text("could not answer")


def test_an_interrupted_answer_starts_afresh_and_says_so(sit):
    page = sit("alex", "/s/with-cutoff/")
    asked = ask(page, unique("question"), "Ask Cutoff")
    expect(streaming(page)).to_contain_text("Interrupted, trying again (2 of 3)")
    expect(streaming(page).locator(".working")).to_be_hidden()
    expect(streaming(page)).to_contain_text("Interrupted, attempt 2 of 3")
    expect(asked.locator(".fate")).to_contain_text("Answered")
    expect(page.locator("[data-rows] article[data-kind=agent]").last.locator(".text")).to_have_text("whole again")


def test_a_line_that_breaks_comes_back_and_brings_what_was_missed(sit):
    alex, sam = sit("alex"), sit("sam")
    sam.evaluate("document.querySelector('earshot-session').line.world.delay = () => 1500")
    sam.evaluate("document.querySelector('earshot-session').line.socket.close()")
    expect(sam.locator("[data-connection]")).to_have_text("Reconnecting…")
    text = unique()
    say(alex, text)
    expect(message(alex, text)).to_be_visible()
    expect(sam.locator("[data-connection]")).to_have_text("Live")
    expect(message(sam, text)).to_have_count(1)


def test_whoever_is_put_out_is_told_and_hears_no_more(sit):
    alex, sam = sit("alex", "/s/leaving/"), sit("sam", "/s/leaving/")
    token = alex.locator("meta[name=csrf-token]").get_attribute("content")
    session = alex.locator("earshot-session").get_attribute("data-session")
    gone = alex.request.delete(f"/api/v1/sessions/{session}/members/sam", headers={"X-CSRFToken": token or ""})
    assert gone.ok, gone.text()
    text = unique()
    say(alex, text)
    expect(message(alex, text)).to_be_visible()
    expect(sam.locator("[data-connection]")).to_contain_text("You are no longer in this session")
    assert text not in sam.content()
    expect(alex.locator("#people")).not_to_contain_text("Sam")


@pytest.mark.parametrize("loses", ["the request", "the answer"])
def test_a_message_that_got_lost_is_kept_and_goes_out_once(sit, loses):
    page = sit("alex")
    text = unique()

    def lose(route):
        if loses == "the answer":
            route.fetch()
        route.abort()

    page.route("**/api/v1/sessions/*/messages", lose)
    if loses == "the answer":
        # Without its line the page learns of the message by the answer alone.
        page.evaluate("document.querySelector('earshot-session').line.world.delay = () => 1500")
        page.evaluate("document.querySelector('earshot-session').line.socket.close()")
    say(page, text)
    expect(page.locator(".pending")).to_contain_text("It is kept and goes out when there is one")
    page.unroute("**/api/v1/sessions/*/messages")
    page.reload()
    expect(message(page, text)).to_have_count(1)
    expect(page.locator(".pending")).to_have_count(0)
    page.reload()
    expect(message(page, text)).to_have_count(1)


def test_a_refused_message_can_be_mended(sit):
    page = sit("alex")
    choose(page, "Ask Mirror")
    say(page, "x" * 9000)
    pending = page.locator(".pending")
    expect(pending).to_contain_text("Not sent.")
    expect(pending.get_by_role("button", name="Try again")).to_have_count(0)
    pending.get_by_role("button", name="Edit").click()
    expect(pending).to_have_count(0)
    expect(page.get_by_label("Message", exact=True)).to_have_value("x" * 9000)
    expect(page.get_by_role("button", name="Ask Mirror")).to_be_visible()
