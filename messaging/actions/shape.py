"""Whether a draft is well formed, before anything is looked up."""

from __future__ import annotations

from messaging.actions.draft import Draft, Refusal
from messaging.domain import audience, text
from messaging.domain.audience import Audience, AudienceError
from messaging.domain.dispatch import Mode
from messaging.domain.envelope import Envelope, EnvelopeError, FromKind

DISPATCH = tuple(Mode)
DELIVERY = ("queue", "steer")


def check_shape(draft: Draft) -> None:
    """Raises Refusal, 422 naming the field or 413 over a bound."""
    said = parsed(draft)
    _check_text(draft, said)
    _check_words(draft)
    try:
        Envelope(FromKind(draft.author.kind), draft.author.handle, on_behalf_of=draft.on_behalf_of)
    except EnvelopeError as error:
        raise Refusal.shape(error.field, str(error)) from error


def parsed(draft: Draft) -> Audience | None:
    """The audience that the client named, as its type."""
    return None if draft.said is None else named(draft.said)


def named(said: str | list[str]) -> Audience:
    """The audience of these words. Raises Refusal (422)."""
    try:
        return audience.parse(said)
    except AudienceError as error:
        raise Refusal.shape("audience", str(error)) from error


def _check_text(draft: Draft, said: Audience | None) -> None:
    """An agent's words may be long; what people give to an agent is bounded closer."""
    bound = said is not None and audience.is_agent_bound(said) and draft.author.kind == "human" and not draft.carried
    check_bound(draft.text, agent_bound=bound)
    if draft.client_key is not None and not 1 <= len(draft.client_key) <= text.MAX_CLIENT_KEY:
        raise Refusal.shape("client_key", f"holds between 1 and {text.MAX_CLIENT_KEY} characters")
    for field, value in (
        ("client_key", draft.client_key or ""),
        *((f"source.{k}", v) for k, v in draft.source.items()),
    ):
        try:
            text.check_characters(value)
        except text.BadText as error:
            raise Refusal.shape(field, str(error)) from error


def check_bound(words: str, *, agent_bound: bool) -> None:
    """Raises Refusal where a text is empty, malformed (422) or too long (413)."""
    try:
        text.check_message(words, agent_bound=agent_bound)
    except text.TooLong as error:
        raise Refusal(413, "too_long", f"text {error}.", "text") from error
    except text.BadText as error:
        raise Refusal.shape("text", str(error)) from error


def check_reason(reason: str) -> None:
    """Raises Refusal (422) where a reason is empty, too long or malformed."""
    if not 1 <= len(reason.strip()) <= text.MAX_REASON:
        raise Refusal.shape("reason", f"holds between 1 and {text.MAX_REASON} characters")
    try:
        text.check_characters(reason)
    except text.BadText as error:
        raise Refusal.shape("reason", str(error)) from error


def _check_words(draft: Draft) -> None:
    if draft.dispatch and draft.dispatch not in DISPATCH:
        raise Refusal.shape("dispatch", f"is not one of {', '.join(DISPATCH)}")
    if draft.delivery not in DELIVERY:
        raise Refusal.shape("delivery", f"is not one of {', '.join(DELIVERY)}")
    if draft.mentions:
        raise Refusal.not_available("mentions", "Mentions are not available yet.")
