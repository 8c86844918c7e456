"""The contract's JSON straight from the reader's views: the shapes of `MessageOut` and `DeliveryOut`, without one."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from messaging.transcript.view import DeliveryView, MessageView

_MESSAGE = TypeAdapter(MessageView)
_DELIVERY = TypeAdapter(DeliveryView)
#: What the reader knows besides, for pages alone. A test holds the rest against `MessageOut`.
_DELIVERIES = {"__all__": {"purpose"}}
_PAGES_ALONE = {"audience_kind", "target_names"}


def message(view: MessageView, *, posted: bool = False) -> bytes:
    """The message as JSON. posted: as its author's answer, with whom it names in vain."""
    ours = _PAGES_ALONE if posted else _PAGES_ALONE | {"unheard"}
    # Deliveries are looked through only where there are some, which takes time.
    exclude: Any = dict.fromkeys(ours, True) | {"deliveries": _DELIVERIES} if view.deliveries else ours
    return _MESSAGE.dump_json(view, exclude=exclude)


def delivery(view: DeliveryView) -> bytes:
    """What became of a message before one agent, as JSON."""
    return _DELIVERY.dump_json(view, exclude={"purpose"})
