"""The contract's JSON straight from the reader's views: the shapes of `MessageOut` and `DeliveryOut`, without one."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from messaging.transcript.view import DeliveryView, MessageView

_MESSAGE = TypeAdapter(MessageView)
_DELIVERY = TypeAdapter(DeliveryView)
#: What the reader knows besides, for pages alone. A test holds the rest against `MessageOut`.
_OURS: Any = {"audience_kind": True, "target_names": True, "deliveries": {"__all__": {"purpose"}}}
_OURS_ALONE = {"audience_kind", "target_names"}


def message(view: MessageView) -> bytes:
    """The message as JSON."""
    return _MESSAGE.dump_json(view, exclude=_OURS if view.deliveries else _OURS_ALONE)


def delivery(view: DeliveryView) -> bytes:
    """What became of a message before one agent, as JSON."""
    return _DELIVERY.dump_json(view, exclude={"purpose"})
