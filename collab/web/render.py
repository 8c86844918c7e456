"""One message, rendered by one template everywhere: on the page, over the socket, after an edit.

The HTML does not depend on who looks, so that one rendering serves all who see the same."""

from __future__ import annotations

from django.template.loader import get_template

from messaging.transcript.view import DeliveryView, MessageView


def message_html(view: MessageView) -> str:
    """A message with its head, its words about who hears it, its text and what became of it."""
    return get_template("web/_message.html").render({"message": view})


def fate_html(delivery: DeliveryView, message: MessageView) -> str:
    """The live line of one delivery."""
    return get_template("web/_fate.html").render({"delivery": delivery, "message": message})
