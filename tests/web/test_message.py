"""One template renders a message everywhere; it says who hears it, what became of it, and nothing of who looks."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from collab.web.render import article_html, fate_html, message_html
from messaging.transcript.view import AuthorView, DeliveryView, MessageView
from tests.web.scene import PAGE, source

NOON = datetime(2026, 3, 1, 12, 4, tzinfo=UTC)
QUESTION = MessageView(
    id="11111111-1111-4111-8111-111111111111",
    seq=7,
    session="22222222-2222-4222-8222-222222222222",
    author=AuthorView("alex", "human", "Alex"),
    text="hello",
    audience="active_agent",
    audience_kind="active_agent",
    targets=[],
    to=[],
    compat="",
    on_behalf_of="",
    reply_to=None,
    answers=None,
    mentions=[],
    source={},
    created_at=NOON,
    edited_at=None,
    deleted_at=None,
    ever_delivered=False,
)
DELIVERY = DeliveryView("33333333-3333-4333-8333-333333333333", "mirror", "Mirror", "queued", "", False, None, NOON, 2)
ANSWER = replace(
    QUESTION,
    id="44444444-4444-4444-8444-444444444444",
    author=AuthorView("mirror", "agent", "Mirror"),
    audience="everyone",
    audience_kind="everyone",
    answers=QUESTION.id,
)


def shown(**changes: Any) -> str:
    return article_html(replace(QUESTION, **changes))


def test_answered_leads_to_the_answer():
    fate = fate_html(replace(DELIVERY, disposition="responded"), QUESTION)
    target = re.search(r'class="to-answer" href="#([^"]+)"', fate)
    assert target
    assert f'id="{target.group(1)}"' in article_html(ANSWER)


def test_the_fate_on_a_message_is_the_one_that_the_socket_sends():
    inside = shown(deliveries=[DELIVERY])
    assert re.sub(r"\s+", "", fate_html(DELIVERY, QUESTION)) in re.sub(r"\s+", "", inside)


def test_what_people_say_has_no_fate():
    assert 'class="fate"' not in shown(audience="participants", audience_kind="participants")


def test_a_deleted_message_is_a_tombstone_that_owns_up_to_what_was_heard():
    html = shown(text="kumquat", deleted_at=NOON, ever_delivered=True, deliveries=[DELIVERY])
    assert "kumquat" not in html
    assert "cannot be taken back" in html
    assert "data-reply" not in html
    assert "cannot be taken back" not in shown(deleted_at=NOON)


def test_what_is_claimed_is_shown_as_claimed():
    html = shown(on_behalf_of="<b>boss</b>")
    assert "not verified" in html
    assert "<b>" not in html


def test_a_default_audience_is_said_to_be_one():
    assert "default was used" in shown(compat="v1-default")
    assert "default was used" not in shown()


def test_an_edited_message_says_so():
    assert "Edited" in shown(edited_at=NOON)
    assert "Edited" not in shown()


def test_names_and_handles_are_escaped_wherever_they_stand():
    html = shown(author=AuthorView('a"><script>', "human", "<script>x</script>"), targets=['"><script>'])
    assert "<script" not in html


@pytest.mark.django_db
def test_it_is_the_same_for_whoever_looks(scene, browser_of):
    message = scene.say("sam", "hello", "participant:alex")
    pages = [source(browser_of(handle).get(PAGE)) for handle in ("sam", "alex")]
    articles = {page[page.index(f'id="m-{message.id}"') : page.index("</article>")] for page in pages}
    assert len(articles) == 1
    assert articles.pop() in message_html(message)
