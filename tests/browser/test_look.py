"""Narrow and wide, light and dark: nothing runs out of the page, and everything can be read."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.stage import ask, choose, message, say, unique

PAGES = [
    "/",
    "/s/welcome/",
    "/s/welcome/as/mirror/",
    "/s/welcome/manage",
    "/s/welcome/fork",
    "/sign-in/invented",
    "/s/nowhere/",
]
NARROW = {"width": 390, "height": 844}

#: The text on the page that stands out too little from what is behind it.
FAINT = """() => {
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = color;
    pixel.fillRect(0, 0, 1, 1);
    return pixel.getImageData(0, 0, 1, 1).data;
  };
  const light = ([r, g, b]) => [r, g, b]
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const behind = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const color = rgba(getComputedStyle(one).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const faint = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.checkVisibility({ opacityProperty: true }) || node.closest(".unseen, .skip, .pending")) continue;
    const [a, b] = [light(rgba(getComputedStyle(node).color)), light(behind(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faint.push(`${node.className || node.tagName} ${node.textContent.trim().slice(0, 30)} ${ratio}`);
  }
  return faint;
}"""


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_stands_out_enough(sit, path, scheme):
    page = sit("alex", path, live=False, color_scheme=scheme)
    assert page.evaluate(FAINT) == []


def test_the_measure_can_see_what_is_too_faint(sit):
    page = sit("alex", "/", live=False)
    page.evaluate("""() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("h1 { color: oklch(0.8 0 0) }");
      document.adoptedStyleSheets = [sheet];
    }""")
    assert len(page.evaluate(FAINT)) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_audience_can_be_read(sit, scheme):
    page = sit("alex", color_scheme=scheme)
    for label in ("People only", "Ask Mirror", "To Scout", "Mo", "People and agents"):
        choose(page, label)
        page.mouse.move(0, 0)
        page.wait_for_timeout(200)
        assert page.evaluate(FAINT) == [], label


def test_a_theme_that_was_chosen_stands_above_the_system_s_and_stays(sit):
    page = sit("alex", "/", live=False, color_scheme="light")
    ground = "() => getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_label("Theme").select_option("Dark")
    dark = page.evaluate(ground)
    assert dark != light
    page.goto("/s/welcome/")
    assert page.evaluate(ground) == dark
    expect(page.get_by_label("Theme")).to_have_value("dark")
    page.get_by_label("Theme").select_option("System theme")
    assert page.evaluate(ground) == light


@pytest.mark.parametrize("path", PAGES)
def test_a_narrow_page_does_not_scroll_sideways(sit, path):
    page = sit("alex", path, live=False, viewport=NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_long_words_links_and_code_stay_inside_a_narrow_page(sit):
    page = sit("alex", viewport=NARROW)
    mark = unique("long")
    say(page, f"{mark}\n{'x' * 300}\n<https://example.org/{'y' * 200}>\n```\n{'z' * 300}\n```")
    expect(message(page, mark)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert page.locator(".scroll").evaluate("(box) => box.scrollWidth <= box.clientWidth")


def test_a_narrow_page_folds_to_one_column_with_the_others_a_tap_away(sit):
    page = sit("alex", viewport=NARROW)
    people, sessions = page.locator("#people"), page.locator("#sessions")
    expect(people).to_be_hidden()
    expect(sessions).to_be_hidden()
    page.get_by_role("link", name="People and agents", exact=True).click()
    expect(people).to_be_visible()
    page.get_by_role("link", name="Close people and agents").click()
    expect(people).to_be_hidden()
    page.get_by_role("link", name="Sessions", exact=True).click()
    expect(sessions).to_be_visible()


def test_the_main_job_on_a_narrow_page(sit):
    page = sit("alex", viewport=NARROW)
    asked = ask(page, unique("question"))
    expect(asked.locator(".fate")).to_contain_text("Answered")
    expect(page.locator("[data-rows] article").last).to_be_in_viewport()


def test_on_a_narrow_page_the_audiences_are_one_row_that_follows_the_keys(sit):
    page = sit("alex", viewport=NARROW)
    tops = page.locator(".choice > label").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().top)")
    assert len(tops) > 4
    assert len(set(tops)) == 1
    page.locator(".choice > input:checked").focus()
    for _ in tops:
        page.keyboard.press("ArrowRight")
        chosen = page.locator(".choice:has(> :checked)")
        expect(chosen.locator("> label")).to_be_in_viewport(ratio=1)
        expect(chosen.locator(".hears:visible")).to_be_in_viewport(ratio=0.99)


def test_lines_of_text_are_no_longer_than_a_person_likes_to_read(sit):
    page = sit("alex", viewport={"width": 1920, "height": 1000})
    width = page.evaluate("""() => {
      const text = document.querySelector(".measure");
      const probe = text.appendChild(document.createElement("span"));
      probe.textContent = "0".repeat(68);
      const wide = probe.getBoundingClientRect().width;
      probe.remove();
      return text.clientWidth - wide;
    }""")
    assert width <= 41


def test_where_less_motion_is_wished_nothing_moves(sit):
    page = sit("alex", reduced_motion="reduce")
    moving = page.evaluate("""() => [...document.querySelectorAll("*")].filter((node) => {
      const style = getComputedStyle(node);
      return parseFloat(style.transitionDuration) > 0 || style.animationName !== "none";
    }).length""")
    assert moving == 0


def test_focus_is_always_visible(sit):
    page = sit("alex")
    for _ in range(12):
        page.keyboard.press("Tab")
        shown = page.evaluate("""() => {
          const node = document.activeElement;
          const ring = (one) => {
            const style = getComputedStyle(one);
            return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
          };
          // A hidden radio shows on its label, the text field on the whole composer.
          return [node, node.nextElementSibling, node.closest("form")].some((one) => one && ring(one));
        }""")
        assert shown, page.evaluate("document.activeElement.outerHTML")
