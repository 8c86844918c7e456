"""Tags of the message templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from collab.web import markdown
from collab.web.presenters import ahead, audience, deeds, fate, marked
from collab.web.presenters import asked as asking
from messaging.domain.capability import Capability
from messaging.domain.unseen import written_out
from messaging.transcript.marks import NONE, Marks
from messaging.transcript.view import AskView, DeliveryView, MessageView

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
def fate_of(delivery: DeliveryView, message: MessageView, marks: Marks | str = "") -> fate.Fate:
    """What became of a message before one agent."""
    known = marks if isinstance(marks, Marks) else NONE
    return fate.fate(delivery, message, known.withdrawn_by.get(delivery.id, ""))


@register.simple_tag
def anchor(message: MessageView) -> str:
    """Where the link "Answered" of the message that this one answers leads."""
    return fate.answer_anchor(message.answers or "", message.author.id)


@register.filter
def marks_in(message: MessageView, found: Mapping[str, Marks] | None) -> Marks:
    """What was done to a message, out of what was found for many."""
    return (found or {}).get(message.id, NONE)


@register.simple_tag
def lines_of(message: MessageView, marks: Marks | str) -> dict[str, str]:
    """The quiet lines beneath a message, by what they are about; empty ones say nothing."""
    known = marks if isinstance(marks, Marks) else NONE
    return {
        "compat": marked.by_default(message),
        "reclassified": marked.reclassified(message, known),
        "earlier": "" if message.deleted_at else marked.heard_earlier(message),
        "kept": marked.kept_from_its_author(message),
        "tombstone": marked.tombstone(message, known) if message.deleted_at else "",
    }


@register.filter
def asked(ask: AskView) -> asking.Asked:
    """What stands of an ask on the page."""
    return asking.asked(ask)


@register.filter
def seen(text: str) -> str:
    """A text by which somebody decides: what cannot be seen in it is written out."""
    return written_out(text)


@register.filter
def deeds_of(message: MessageView) -> list[deeds.Deed]:
    """What can be done to a message, by whoever may."""
    return deeds.deeds(message)


@register.filter
def takes(capabilities: Iterable[Capability]) -> str:
    """Capabilities as the page's script reads them."""
    return " ".join(sorted(capabilities))


@register.filter
def as_heard(text: str) -> str:
    """A text as an agent is given it."""
    return ahead.as_heard(text)
