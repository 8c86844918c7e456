"""A real browser before a running Earshot, with people signed in and agents that do as a script says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.stage import STAGE
from tests.services import browser as chromium
from tests.services.earshot import Installation

WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"""
expect.set_options(timeout=10_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here needs the browser."""
    for item in items:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium.program())
        yield found
        found.close()


@pytest.fixture(scope="session")
def links(installation: Installation) -> dict[str, list[str]]:
    """One-time sign-in links of each person, made once with the sessions that the tests play in."""
    said = installation.manage("shell", "--verbosity", "0", "-c", STAGE)
    codes: dict[str, list[str]] = json.loads(said.splitlines()[-1])
    return {handle: [f"{installation.address}/sign-in/{code}" for code in own] for handle, own in codes.items()}


@pytest.fixture(scope="session")
def logins(browser: Browser, links: dict[str, list[str]]) -> dict[str, Any]:
    """What each person's browser keeps once they have signed in."""
    found = {}
    for handle, own in links.items():
        context = browser.new_context()
        page = context.new_page()
        page.goto(own.pop())
        page.get_by_role("button", name="Sign in as").click()
        page.wait_for_url("**/")
        found[handle] = context.storage_state()
        context.close()
    return found


@pytest.fixture
def sit(browser: Browser, installation: Installation, logins: dict[str, Any]) -> Iterator[Callable[..., Page]]:
    """Seats somebody of the cast at a browser. At the end no page may have broken its policy or thrown."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def seat(handle: str, path: str = "/s/welcome/", *, live: bool = True, **options: Any) -> Page:
        context = browser.new_context(
            base_url=installation.address, storage_state=logins.get(handle), locale="en-GB", **options
        )
        contexts.append(context)
        context.add_init_script(WATCH)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(path)
        if live:
            expect(page.locator("[data-connection]")).to_have_text("Live")
        return page

    yield seat
    for context in contexts:
        for page in context.pages:
            if not page.is_closed() and page.url.startswith("http"):
                faults += page.evaluate("window.violations ?? []")
        context.close()
    assert faults == []
