"""A real MCP server, registered in the back office and granted to an agent: what it does waits for the owner's word.

The whole way in one journey: the form, the look at its tools by the agents' process, the grant, the card, the run.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.agents.sources import SERVER, words
from tests.browser.stage import ask, unique
from tests.browser.test_asks import answers, asks
from tests.journeys.client import until

ROOM = "/s/with-doer/"


def register(page: Page, file: Path) -> None:
    """As staff does it: what the program is, a word on each line."""
    page.goto("/admin/mailbox/source/add/")
    page.locator("[name=name]").fill("things")
    page.locator("[name=transport]").select_option("stdio")
    page.locator("[name=command]").fill("\n".join([sys.executable, str(SERVER), str(file)]))
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_text("things was registered")).to_be_visible()

    def found() -> bool:
        page.reload()
        return "things__act" in page.content()

    until(found, "the agents' process to have looked at its tools")


def grant(page: Page) -> None:
    page.goto(ROOM)
    token = page.locator("meta[name=csrf-token]").get_attribute("content") or ""
    answer = page.request.patch("/api/v1/agents/doer", data={"sources": ["things"]}, headers={"X-CSRFToken": token})
    assert answer.ok, answer.text()


def test_what_a_source_s_tool_does_waits_for_the_owner_s_word(sit, tmp_path):
    file = tmp_path / "counted"
    alex, sam, vic = sit("alex", ROOM), sit("sam", ROOM), sit("vic", ROOM)
    ask(sam, unique(), "Ask Doer")
    expect(sam.locator(".turn-note")).to_contain_text("Doer could not answer")
    expect(asks(alex)).to_have_count(0)

    register(alex, file)
    grant(alex)
    for choice, done, said in (("Approve", ["once"], 1), ("Decline", ["once"], 2), ("Approve", ["once", "once"], 3)):
        before = words(file)
        ask(sam, unique(), "Ask Doer")
        expect(asks(alex)).to_have_count(1)
        expect(asks(alex)).to_contain_text("Doer wants to call things__act")
        expect(asks(alex).locator("pre")).to_contain_text('"word": "once"')
        for page in (sam, vic):
            expect(asks(page)).to_have_count(0)
        assert words(file) == before, "nothing is done before the word"
        asks(alex).get_by_role("button", name=choice).click()
        expect(answers(sam, "doer")).to_have_count(said)
        assert words(file) == done
