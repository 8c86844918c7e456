"""A message as the JSON of the contract, straight from the reader's view: the shape of `MessageOut`, without one."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from messaging.transcript.view import MessageView

_VIEW = TypeAdapter(MessageView)
#: What the reader knows besides, for pages alone. A test holds the rest against `MessageOut`.
_OURS: Any = {"audience_kind": True, "target_names": True, "deliveries": {"__all__": {"purpose"}}}
_OURS_ALONE = {"audience_kind", "target_names"}


def message(view: MessageView) -> bytes:
    """The message as JSON."""
    return _VIEW.dump_json(view, exclude=_OURS if view.deliveries else _OURS_ALONE)
