"""Message text to HTML: CommonMark without raw HTML, then an allow-list. Nothing is loaded from outside.

Two bars, because each has failed somewhere alone: the parser makes no HTML of its input's, and nh3 lets
through only what is named here. Both take bounded time: nesting is cut, and what is too long stays plain."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from functools import lru_cache
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

#: Longer texts are shown as they were typed, so that no message takes longer than a blink to lay.
LONGEST = 16_384
#: Short rows are filled up to a table's width, so a small text could ask for millions of cells.
MOST_CELLS = 4_000

_TAGS = {
    "p",
    "br",
    "hr",
    "strong",
    "em",
    "s",
    "code",
    "pre",
    "blockquote",
    "ul",
    "ol",
    "li",
    "a",
    "h4",
    "h5",
    "h6",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
_SCHEMES = {"http", "https", "mailto"}
#: Where a link may lead: elsewhere in full, or to a message of the same page. What is relative to the page, or to its
#: host or scheme, would be a link into this house that somebody else wrote.
_LEADS = re.compile(r"https?://|mailto:|#m-[0-9a-f-]+\Z", re.IGNORECASE)


class _Parser(MarkdownIt):
    """A link that leads nowhere else stays as it was typed."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 -- the library's name
        return _LEADS.match(url) is not None


def to_html(text: str) -> str:
    """Safe HTML of a message's text."""
    if len(text) > LONGEST:
        return _plain(text)
    return nh3.clean(
        _parser(tables=_cells(text) <= MOST_CELLS).render(text),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes=_SCHEMES,
        link_rel="noopener nofollow",
    )


def _attribute(_tag: str, name: str, value: str) -> str | None:
    return value if name != "href" or _LEADS.match(value) else None


def _plain(text: str) -> str:
    return f"<p>{escape(text)}</p>".replace("\n", "<br>")


def _cells(text: str) -> int:
    """As many cells as a table of this text could have."""
    lines = text.splitlines()
    return (1 + max((line.count("|") for line in lines), default=0)) * len(lines)


@lru_cache(maxsize=2)
def _parser(*, tables: bool) -> MarkdownIt:
    parser = _Parser("js-default", {"html": False, "linkify": False, "breaks": True, "maxNesting": 20})
    parser.disable("image" if tables else ["image", "table"])
    parser.add_render_rule("heading_open", _heading_open)
    parser.add_render_rule("heading_close", _heading_close)
    return parser


def _level(token: Token) -> str:
    """Headings of a message stand below those of the page, or a list of headings would lose its shape."""
    return f"h{min(int(token.tag[1:]) + 3, 6)}"


def _heading_open(
    _renderer: RendererHTML, tokens: list[Token], index: int, _options: Any, _env: MutableMapping[str, Any]
) -> str:
    return f"<{_level(tokens[index])}>"


def _heading_close(
    _renderer: RendererHTML, tokens: list[Token], index: int, _options: Any, _env: MutableMapping[str, Any]
) -> str:
    return f"</{_level(tokens[index])}>\n"
