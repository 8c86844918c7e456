"""Tags of the message templates."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from collab.web import markdown
from collab.web.presenters import audience, fate
from messaging.transcript.view import DeliveryView, MessageView

register = template.Library()


@register.simple_tag
def sign(name: str) -> SafeString:
    """One of our own pictures, from the sprite at the top of the page."""
    return format_html(
        '<svg class="sign" viewBox="0 0 20 20" aria-hidden="true"><use href="#sign-{}"></use></svg>', name
    )


@register.simple_tag
def moment(at: datetime, detail: str = "") -> SafeString:
    """A quiet time of day, full on hover; the page puts it into the reader's own time zone. `seconds` shows them."""
    utc = at.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{}"{}>{}</time>',
        utc.isoformat(timespec="milliseconds"),
        f"{utc:%-d %B %Y, %H:%M:%S} UTC",
        mark_safe(" data-seconds") if detail else "",
        f"{utc:%H:%M:%S}" if detail else f"{utc:%H:%M}",
    )


@register.filter
def rich(text: str) -> SafeString:
    """A message's text as safe HTML."""
    return mark_safe(markdown.to_html(text))  # noqa: S308 - cleaned by an allow-list in markdown.py


@register.filter
def hearers(message: MessageView) -> audience.Sign:
    """Who hears a message."""
    return audience.sign(message)


@register.simple_tag
def fate_of(delivery: DeliveryView, message: MessageView) -> fate.Fate:
    """What became of a message before one agent."""
    return fate.fate(delivery, message)


@register.simple_tag
def anchor(message: MessageView) -> str:
    """Where the link "Answered" of the message that this one answers leads."""
    return fate.answer_anchor(message.answers or "", message.author.id)
