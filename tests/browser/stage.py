"""The sessions that the browser tests play in, and the ways of a person at a page."""

from __future__ import annotations

import uuid

from playwright.sync_api import Locator, Page, expect

#: Run inside the installation. It prints one line: the codes of sign-in links by handle.
STAGE = """
import json
from messaging.actions.enrol import add_agent
from messaging.actions.join import join
from messaging.actions.open_session import open_session
from messaging.actions.sign_in import new_link
from messaging.domain.capability import Role
from messaging.roster.models import Agent, Person, Session

def person(handle):
    return Person.objects.get(handle__spelled=handle)

SCRIPTS = {
    "pacer": [[{"say": "first words"}, {"pause": 1.2}, {"say": " and last words"}]],
    "broken": [[{"say": "half a sen"}, {"pause": 0.4}, {"fail": "provider_auth"}]],
    "cutoff": [[{"say": "lost"}, {"pause": 0.3}, {"fail": "provider_cut"}],
               [{"say": "whole"}, {"pause": 0.5}, {"say": " again"}]],
    "talker": [[{"say": "A long answer. "}, {"pause": 0.5}, {"say": "It goes on. "}, {"pause": 2.5},
                {"say": "It ends."}]],
    "slow": [[[{"say": "Let me see."}, {"pause": 5}], [{"say": " With what you added."}, {"pause": 0.2}]]],
    "writer": [[{"say": "## Title\\n\\nSee [this page](https://example.org/a) and <b>this</b>.\\n\\n- **one**\\n- two"},
                {"pause": 2}, {"say": "\\n\\nDone."}]],
    "asker": [[[{"say": "Let me ask."}, {"pause": 0.3}, {"call": "consult", "with": {"agent": "sage", "text": "what is it?"}}],
               [{"say": " So it is."}]]],
    "keeper": [[[{"call": "send", "with": {"agent": "scout", "text": "from the keeper"}}], [{"say": "That was it."}]]],
    "poller": [[[{"call": "ask", "with": {"text": "Which colour?", "options": ["Blue", "Green"]}}], [{"say": "So be it."}]]],
    "doer": [[[{"call": "things__act", "with": {"word": "once"}}], [{"say": "That was all."}]]],
    "napper": [[{"say": "Hm."}, {"pause": 25}, {"say": " Yes."}]],
}
TOOLS = {"keeper": {"send": "ask"}, "poller": {"ask": "allowed"},
         "doer": {"things__act": "ask"}}
for handle, script in SCRIPTS.items():
    agent = add_agent(handle, kind=Agent.Kind.HOSTED, name=handle.title(), provider="scripted",
                      settings={"script": script}, owner=person("alex"), tools=TOOLS.get(handle))
    session = open_session(person("alex"), title=f"With {handle}", slug=f"with-{handle}", active_agent=agent)
    join(session, person("sam"), Role.MEMBER)
    join(session, person("mo"), Role.MODERATOR)
    join(session, person("vic"), Role.VIEWER)
mirror = Agent.objects.get(handle__spelled="mirror")
open_session(person("alex"), title="Alone", slug="alone", active_agent=mirror)
join(Session.objects.get(slug="with-keeper"), Agent.objects.get(handle__spelled="scout"), Role.AGENT)
for slug in ("visited", "visited-2"):
    open_session(person("alex"), title=slug, slug=slug, active_agent=mirror)
for slug in ("life", "bring", "filter"):
    room = open_session(person("alex"), title=slug.title(), slug=slug, active_agent=mirror)
    for handle, role in (("mo", Role.MODERATOR), ("sam", Role.MEMBER), ("vic", Role.VIEWER)):
        join(room, person(handle), role)
archivist = add_agent("archivist", kind=Agent.Kind.HOSTED, name="Archivist", provider="mirror", owner=person("alex"))
for slug in ("aside", "aside-2"):
    room = open_session(person("alex"), title=slug.title(), slug=slug, active_agent=mirror)
    join(room, archivist, Role.AGENT)
    for handle, role in (("mo", Role.MODERATOR), ("sam", Role.MEMBER), ("vic", Role.VIEWER)):
        join(room, person(handle), role)
sage = add_agent("sage", kind=Agent.Kind.HOSTED, name="Sage", provider="scripted", owner=person("alex"),
                 settings={"script": [[{"pause": 2}, {"say": "All of it."}]]})
join(Session.objects.get(slug="with-asker"), sage, Role.AGENT)
leaving = open_session(person("alex"), title="Leaving", slug="leaving")
join(leaving, person("sam"), Role.MEMBER)
print(json.dumps({handle: [new_link(handle) for _ in range(3)] for handle in ("alex", "sam", "mo", "vic", "xan")}))
"""


def unique(words: str = "kumquat") -> str:
    """A text that no other test says."""
    return f"{words} {uuid.uuid4().hex[:12]}"


def choose(page: Page, words: str) -> None:
    """Picks an audience by its label, as with a mouse."""
    page.locator(".choice label").filter(has_text=words).first.click()


def say(page: Page, text: str) -> None:
    """Types and sends with Enter."""
    page.get_by_label("Message", exact=True).fill(text)
    page.get_by_label("Message", exact=True).press("Enter")


def message(page: Page, text: str) -> Locator:
    """What a person said, as the server rendered it; not what is still on its way, nor an agent that repeats it."""
    said = page.locator("[data-rows] article.message:not([data-kind=agent])")
    return said.filter(has=page.locator(".text", has_text=text))


def ask(page: Page, text: str, agent: str = "Ask Mirror") -> Locator:
    """Asks the active agent; the question on the page."""
    choose(page, agent)
    say(page, text)
    found = message(page, text)
    expect(found).to_be_visible()
    return found


RECORD = """(text) => {
  window.seen = [];
  const look = () => {
    for (const article of document.querySelectorAll("[data-rows] article.message")) {
      if (!article.querySelector(".text")?.textContent.includes(text) || article.dataset.kind === "agent") continue;
      const state = article.querySelector(".fate")?.dataset.disposition;
      if (state && window.seen.at(-1) !== state) window.seen.push(state);
    }
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""


def record(page: Page, text: str) -> None:
    """Notes every state that the page shows of a message, from now on."""
    page.evaluate(RECORD, text)


def recorded(page: Page) -> list[str]:
    """The states noted so far."""
    found: list[str] = page.evaluate("window.seen")
    return found
