"""Frames as text, each encoded once for each variant, whatever the number of sockets."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from collab.api import encode
from collab.api.frames import frame_out
from collab.web import render
from messaging.transcript.stream import PieceView
from messaging.transcript.view import DeliveryView, Frame, MessageView


class Encoded:
    """One frame in the two forms that sockets ask for: plain, or with the rendered fragment."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self._forms: dict[bool, str] = {}

    def text(self, *, html: bool) -> str:
        """The frame as JSON; rendered on first need, and then kept."""
        if html not in self._forms:
            self._forms[html] = _with(_plain(self.frame), _fragment(self.frame) if html else {})
        return self._forms[html]


def _plain(frame: Frame) -> str:
    """Messages and dispositions, of which there are many, are written at once; the rest by way of its schema."""
    match frame.body:
        case MessageView() as view:
            return f'{{"type":"message","seq":{frame.seq},"message":{encode.message(view).decode()}}}'
        case DeliveryView() as view if frame.about is not None:
            body = encode.delivery(view).decode()
            return f'{{"type":"disposition","seq":{frame.seq},"message":"{frame.about.id}","delivery":{body}}}'
    return _dumps(frame_out(frame).model_dump(mode="json"))


def _with(text: str, more: dict[str, str]) -> str:
    """The frame with further fields at its end."""
    return f"{text[:-1]},{_dumps(more)[1:]}" if more else text


def _fragment(frame: Frame) -> dict[str, str]:
    match frame.body:
        case MessageView() as view:
            return {"html": render.message_html(view)}
        case DeliveryView() as view if frame.about is not None:
            return {"html": render.fate_html(view, frame.about)}
    return {}


def piece(view: PieceView) -> str:
    """A stretch of a streamed answer."""
    return _dumps({"type": "piece", **asdict(view)})


def plain(kind: str, **fields: Any) -> str:
    """Any small frame."""
    return _dumps({"type": kind, **fields})


def _dumps(value: dict[str, Any]) -> str:
    text = json.dumps(value, default=_other, ensure_ascii=False, separators=(",", ":"))
    # What a client sent may come back in an error, half a surrogate pair included.
    return text.encode("utf-8", "replace").decode()


def _other(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
