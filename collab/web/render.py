"""One message, rendered by one template everywhere: on the page, over the socket, after an edit.

The HTML does not depend on who looks, so that one rendering serves all who see the same."""

from __future__ import annotations

from dataclasses import replace

from django.template.loader import get_template

from messaging.domain.disposition import Disposition
from messaging.transcript import marks
from messaging.transcript.marks import NONE, Marks
from messaging.transcript.view import DeliveryView, MessageView


def message_html(view: MessageView) -> str:
    """A message with its head, its words about who hears it, its text and what became of it. It reads its marks."""
    return article_html(view, marks.of([view]).get(view.id, NONE))


def article_html(view: MessageView, known: Marks = NONE) -> str:
    """The same with marks that are known."""
    return get_template("web/_message.html").render({"message": view, "marks": known})


def fate_html(delivery: DeliveryView, message: MessageView) -> str:
    """The live line of one delivery; of one that was taken back it reads by whom."""
    marked = NONE
    if delivery.disposition == Disposition.SUPERSEDED:
        marked = marks.of([replace(message, deliveries=[delivery])]).get(message.id, NONE)
    shown = {"delivery": delivery, "message": message, "marks": marked}
    return get_template("web/_fate.html").render(shown)
