"""Message text becomes HTML that loads nothing, runs nothing, and is made in bounded time."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collab.web.markdown import LONGEST, _Parser, to_html

TAGS = "p|br|hr|strong|em|s|code|pre|blockquote|ul|ol|li|a|h4|h5|h6|table|thead|tbody|tr|th|td"
ALLOWED = re.compile(
    rf'</?(?:{TAGS})>|<a href="(?:https?:|mailto:)[^"<>]*"(?: title="[^"<>]*")? rel="noopener nofollow">'
    r'|<ol start="\d+">'
)
#: What an answer must look like while it comes, by the page's own scripts (tests/web/js/streamed.test.js).
STREAMED = json.loads((Path(__file__).parent / "js" / "streamed.json").read_text())
MARKS = st.text(st.sampled_from("ab<>[]()!*_`~#|\\\n \"'&;:/=-+.1x"), max_size=300)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**b** _i_ ~~s~~ `c`", "<p><strong>b</strong> <em>i</em> <s>s</s> <code>c</code></p>\n"),
        ("one\ntwo", "<p>one<br>\ntwo</p>\n"),
        ("<https://a.b/c>", '<p><a href="https://a.b/c" rel="noopener nofollow">https://a.b/c</a></p>\n'),
        # To a message of the same page, as the mirror names its answers.
        ("([mine](#m-1a))", '<p>(<a href="#m-1a" rel="noopener nofollow">mine</a>)</p>\n'),
        ("# Title", "<h4>Title</h4>\n"),
        ("###### Title", "<h6>Title</h6>\n"),
        ("3. x", '<ol start="3">\n<li>x</li>\n</ol>\n'),
        ("```py\nx < 1\n```", "<pre><code>x &lt; 1\n</code></pre>\n"),
        ("> q", "<blockquote>\n<p>q</p>\n</blockquote>\n"),
    ],
)
def test_what_people_write_is_laid_out(text, html):
    assert to_html(text) == html


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "[x](javascript:alert(1))",
        "[x](java\nscript:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](data:text/html,<script>)",
        "[x](vbscript:x)",
        "[x](file:///etc/passwd)",
        "<javascript:alert(1)>",
        "![x](https://evil.example/pixel.png)",
        "![x][y]\n\n[y]: https://evil.example/pixel.png",
        "<iframe src='https://evil.example'></iframe>",
        "<svg><use href='#x'/></svg>",
        "<style>*{display:none}</style>",
        "<form action='/sign-out/'><button>x</button></form>",
        '[x](https://a.b "onmouseover=alert(1)")',
        "| a |\n|:-:|\n| b |",
    ],
)
def test_nothing_runs_or_loads(attack):
    html = to_html(attack)
    assert ALLOWED.sub("", html).count("<") == 0, html
    assert not re.search(r"\ssrc=|\sstyle=|\son\w+=|\sclass=|\sid=", re.sub(r">[^<]*<", "><", html))


@pytest.mark.parametrize(
    "leads",
    ["/admin/logout", "//evil.example/", "admin", "?reply=x", "#composer", "#m-1a/../x", "http:/admin/logout", "https:admin",
     "../", "\\\\evil.example", "#M-", "&#47;admin/logout", "ftp://a.b/", "tel:1"],
)  # fmt: skip
def test_no_link_leads_into_this_house_but_to_a_message(leads):
    for text in (f"[x]({leads})", f"[x](<{leads}>)", f"[x][y]\n\n[y]: {leads}"):
        assert "<a" not in to_html(text), text


@pytest.mark.parametrize("leads", ["https://a.b/c?d#e", "http://a.b", "HTTPS://a.b/", "mailto:sam@a.b", "#m-1a-2b"])
def test_a_link_elsewhere_and_to_a_message_is_one(leads):
    for text in (f"[x]({leads})", f"[x](<{leads}>)", f"[x][y]\n\n[y]: {leads}"):
        assert f'<a href="{leads}" rel="noopener nofollow">x</a>' in to_html(text), text


def test_the_second_bar_holds_where_the_first_lets_through(monkeypatch):
    monkeypatch.setattr(_Parser, "validateLink", lambda self, url: True)
    assert "href" not in to_html("[x](/admin/logout)")
    assert "href" in to_html("[x](https://a.b/)")


@given(MARKS)
def test_only_what_is_allowed_comes_out_of_anything(text):
    left = ALLOWED.sub("", to_html(text))
    assert "<" not in left


@given(st.text(max_size=200))
def test_any_text_can_be_rendered(text):
    assert isinstance(to_html(text), str)


def test_what_is_too_long_to_lay_out_is_shown_as_typed():
    html = to_html("*a*\n<b>" + "x" * LONGEST)
    assert html.startswith("<p>*a*<br>&lt;b&gt;x")


@pytest.mark.parametrize("mark", ["*a_ ", "[", "![", "> ", "- ", "`", "[a](", "<", "|a", "x|y\n-|-\n", "~~a", "a\n- "])
def test_the_worst_texts_take_bounded_time(mark):
    text = (mark * LONGEST)[:LONGEST]
    began = time.process_time()
    to_html(text)
    # The process's own time: what else the machine does must not count.
    assert time.process_time() - began < 2


@pytest.mark.parametrize(("columns", "rows"), [(1300, 5500), (2700, 2700), (1000, 6000)])
def test_a_wide_table_of_short_rows_stays_small(columns, rows):
    """Short rows are filled up to the width of the head: 16 KB could ask for millions of cells."""
    text = ("|".join("a" * columns) + "\n" + "|".join("-" * columns) + "\n" + "a\n" * rows)[:LONGEST]
    assert len(to_html(text)) < 10 * len(text)


def test_a_table_of_common_size_is_still_one():
    text = "|a|b|c|\n|-|-|-|\n" + "|1|2|3|\n" * 200
    assert to_html(text).count("<td>") == 600


@pytest.mark.parametrize(("text", "html"), STREAMED)
def test_a_whole_answer_looks_as_it_did_while_it_came(text, html):
    bare = re.sub(r"<(a|ol|code) [^>]*>", r"<\1>", to_html(text))
    apart = re.split(r"(<pre>.*?</pre>)", bare, flags=re.DOTALL)
    assert "".join(part if part.startswith("<pre>") else part.replace("\n", "") for part in apart) == html
