"""What stands in two places stands there alike, and what is named is there."""

from __future__ import annotations

import re
from pathlib import Path

WEB = Path(__file__).resolve().parents[2] / "collab" / "web"
TOKENS = (WEB / "static/web/css/tokens.css").read_text()
SPRITE = (WEB / "templates/web/parts/_signs.html").read_text()
PRESENTERS = "".join(path.read_text() for path in (WEB / "presenters").glob("*.py"))


def declarations(block: str) -> dict[str, str]:
    return dict(re.findall(r"(--[\w-]+|color-scheme):\s*([^;]+);", block))


def block(start: str) -> dict[str, str]:
    begun = TOKENS.index(start) + len(start)
    return declarations(TOKENS[begun : TOKENS.index("}", begun)])


def test_the_dark_that_is_chosen_is_the_dark_of_the_system():
    by_system, by_choice = block(':root:not([data-theme="light"]) {'), block(':root[data-theme="dark"] {')
    assert by_system == by_choice
    assert len(by_choice) > 20


def test_dark_redefines_tokens_and_adds_none():
    assert set(block(':root[data-theme="dark"] {')) <= set(block(":root {"))


def test_styles_use_tokens_that_exist():
    known = set(re.findall(r"(--[\w-]+):", "".join(path.read_text() for path in (WEB / "static").rglob("*.css"))))
    for path in (WEB / "static").rglob("*.css"):
        assert set(re.findall(r"var\((--[\w-]+)", path.read_text())) <= known, path.name


def test_every_sign_that_is_named_is_in_the_sprite():
    drawn = set(re.findall(r'<symbol id="sign-([\w-]+)"', SPRITE))
    templates = "".join(path.read_text() for path in (WEB / "templates").rglob("*.html"))
    scripts = "".join(path.read_text() for path in (WEB / "static").rglob("*.js"))
    marks = re.findall(r'Fate\(\s*"([\w-]+)"', PRESENTERS)
    named = re.findall(r'{% sign "([\w-]+)" %}', templates) + re.findall(r'\bsign\("([\w-]+)"\)', scripts)
    named += re.findall(r'"((?:ear|two)-[\w]+)"', PRESENTERS) + [f"fate-{mark}" for mark in marks]
    assert len(set(named)) > 12
    assert set(named) <= drawn


def test_no_two_things_on_the_page_share_an_id():
    templates = "".join(path.read_text() for path in (WEB / "templates").rglob("*.html"))
    fixed = [name for name in re.findall(r'\sid="([^"{]+)"', templates) if name != "composer"]
    assert len(fixed) == len(set(fixed))


def test_each_style_sheet_is_on_the_page():
    listed = set(re.findall(r"web/css/(\w+\.css)", (WEB / "templates/web/parts/_styles.html").read_text()))
    assert listed == {path.name for path in (WEB / "static/web/css").glob("*.css")}
