"""The first thing that a newcomer does, from the link to the proof that the agent never heard."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.stage import ask, choose, message, recorded, say, unique
from tests.browser.stage import record as watch


def test_the_main_job(sit, links):
    page = sit("nobody", links["alex"].pop(), live=False)
    page.reload()
    page.get_by_role("button", name="Sign in as Alex").click()
    page.get_by_role("link", name="Welcome").click()
    expect(page.locator("[data-connection]")).to_have_text("Live")

    secret, question = unique("kumquat"), unique("question")
    expect(page.get_by_role("button", name="Send to people only")).to_be_visible()
    say(page, secret)
    expect(message(page, secret)).to_contain_text("People only")

    watch(page, question)
    asked = ask(page, question)
    expect(asked).to_contain_text("To Mirror, everyone here sees it")
    expect(asked.locator(".fate")).to_contain_text("Answered")
    seen = recorded(page)
    assert seen == [word for word in ("queued", "delivered", "responded") if word in seen]
    assert seen[-1] == "responded"

    asked.get_by_role("link", name="See the answer").click()
    answer = page.locator("[data-rows] article[data-kind=agent]").last
    expect(answer).to_contain_text("I repeat what reached me; I am no model.")
    expect(answer).to_contain_text(question)
    expect(answer).not_to_contain_text(secret)
    expect(page.locator("[data-tail] > *")).to_have_count(0)

    page.get_by_role("link", name="See as Mirror").first.click()
    expect(page.get_by_role("heading", name="See as Mirror")).to_be_visible()
    expect(page.locator(".mail")).to_contain_text(question)
    assert secret not in page.content()
    page.get_by_role("link", name="Welcome").click()
    expect(message(page, secret)).to_be_visible()


def test_the_checklist_ticks_as_it_happens(sit):
    page = sit("mo")
    done = page.locator("[data-item][data-done]")
    expect(done).to_have_count(0)
    say(page, unique())
    expect(done).to_have_count(1)
    ask(page, unique("question"))
    expect(done).to_have_count(2)
    page.locator("[data-item=see] a").click()
    page.go_back()
    page.reload()
    expect(page.locator("[data-item]")).to_have_count(0)


def test_the_trail_opens_with_times_and_actors(sit):
    page = sit("sam")
    asked = ask(page, unique("question"))
    expect(asked.locator(".fate")).to_contain_text("Answered")
    asked.locator(".fate summary").focus()
    page.keyboard.press("Enter")
    steps = asked.locator(".steps li")
    expect(steps).to_have_count(4)
    expect(steps.first).to_contain_text(re.compile(r"\d\d:\d\d:\d\d.*Stored and addressed to Mirror by Sam"))
    expect(steps.last).to_contain_text("Mirror answered")


def test_a_direct_message_reaches_one_and_shows_to_nobody_else(sit):
    alex, sam, mo = sit("alex"), sit("sam"), sit("mo")
    text, after = unique(), unique("after")
    choose(alex, "Sam")
    expect(alex.get_by_role("button", name="Send to Sam alone")).to_be_visible()
    say(alex, text)
    expect(message(alex, text)).to_contain_text("Only Sam and you")
    expect(message(sam, text)).to_contain_text("Only Alex and you")
    choose(alex, "People only")
    say(alex, after)
    expect(message(mo, after)).to_be_visible()
    assert text not in mo.content()


def test_a_reply_among_several_reaches_all_of_them_and_nobody_else(sit):
    alex, sam, mo, vic = sit("alex"), sit("sam"), sit("mo"), sit("vic")
    token = alex.locator("meta[name=csrf-token]").get_attribute("content")
    session = alex.locator("earshot-session").get_attribute("data-session")
    text = unique()
    posted = alex.request.post(
        f"/api/v1/sessions/{session}/messages",
        headers={"X-CSRFToken": token or ""},
        data={"text": text, "audience": ["participant:sam", "participant:mo"]},
    )
    assert posted.ok, posted.text()
    expect(message(sam, text)).to_contain_text("Only Mo, Alex and you")
    message(sam, text).hover()
    message(sam, text).get_by_role("link", name="Reply").click()
    expect(sam.get_by_role("button", name="Send to Alex and Mo alone")).to_be_visible()
    expect(sam.locator(".hears:visible")).to_contain_text("Only Alex, Mo and you.")
    reply, after = unique("reply"), unique("after")
    say(sam, reply)
    expect(message(alex, reply)).to_contain_text("Only Mo, Sam and you")
    expect(message(mo, reply)).to_be_visible()
    draft = unique("draft")
    sam.get_by_label("Message", exact=True).fill(draft)
    sam.reload()
    expect(sam.get_by_role("button", name="Send to Alex and Mo alone")).to_be_visible()
    choose(sam, "People only")
    say(sam, after)
    expect(message(vic, after)).to_be_visible()
    assert reply not in vic.content()


def test_a_reply_whose_hearers_cannot_be_had_is_not_sent_to_all(sit):
    sam, mo = sit("sam"), sit("mo")
    token = sam.locator("meta[name=csrf-token]").get_attribute("content")
    session = sam.locator("earshot-session").get_attribute("data-session")
    text = unique()
    body = {"text": text, "audience": ["participant:alex", "participant:mo"]}
    assert sam.request.post(f"/api/v1/sessions/{session}/messages", headers={"X-CSRFToken": token or ""}, data=body).ok
    expect(message(mo, text)).to_be_visible()
    mo.route("**/part/who*", lambda route: route.abort())
    message(mo, text).hover()
    message(mo, text).get_by_role("link", name="Reply").click()
    expect(mo.get_by_role("button", name="Choose who hears this")).to_be_disabled()
    words = unique("kept")
    say(mo, words)
    expect(mo.get_by_label("Message", exact=True)).to_have_value(words)
    choose(mo, "Sam")
    mo.get_by_label("Message", exact=True).press("Enter")
    expect(message(mo, words)).to_contain_text("Only Sam and you")


def test_without_scripts_it_works_by_forms_and_links(sit):
    page = sit("vic", live=False, java_script_enabled=False)
    text = unique()
    page.get_by_label("Message", exact=True).fill(text)
    expect(page.locator(".hears:visible")).to_contain_text("People only.")
    page.get_by_role("button", name="Send").click()
    expect(message(page, text)).to_be_visible()
    message(page, text).get_by_role("link", name="Reply").click()
    expect(page.locator(".replying")).to_contain_text(f"Replying to Vic: {text}")


def test_each_choice_names_its_hearers_without_scripts(sit):
    page = sit("alex", live=False, java_script_enabled=False)
    choose(page, "To Scout")
    expect(page.locator(".hears:visible")).to_have_count(1)
    expect(page.locator(".hears:visible")).to_contain_text("Scout is away, it gets this when it is back.")
