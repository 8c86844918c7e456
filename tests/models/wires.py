"""How the two kinds of model API put a streamed answer on the wire, event by event."""

from __future__ import annotations

import json
from typing import Any, Protocol


class Wire(Protocol):
    """The events of one streamed answer, as bytes."""

    def start(self) -> bytes: ...
    def piece(self, text: str) -> bytes: ...
    def call(self, n: int, call_id: str, name: str, arguments: str) -> bytes: ...
    def end(self, *, called: bool = False) -> bytes: ...
    def fault(self, kind: str) -> bytes: ...
    def status_body(self, status: int, words: str) -> bytes: ...


def _event(data: Any, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


class OpenAI:
    """Chat completions."""

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _event(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion.chunk",
                "created": 1700000000,
                "model": "local",
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
            }
        )

    def start(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def piece(self, text: str) -> bytes:
        return self._chunk({"content": text})

    def call(self, n: int, call_id: str, name: str, arguments: str) -> bytes:
        """The call as it comes: its name, then its arguments in two bits."""
        half = len(arguments) // 2
        begun = {"index": n, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
        bits = ({"index": n, "function": {"arguments": bit}} for bit in (arguments[:half], arguments[half:]))
        return self._chunk({"tool_calls": [begun]}) + b"".join(self._chunk({"tool_calls": [bit]}) for bit in bits)

    def end(self, *, called: bool = False) -> bytes:
        used = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "local"}
        used |= {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}}
        return self._chunk({}, "tool_calls" if called else "stop") + _event(used) + _event("[DONE]")

    def fault(self, kind: str) -> bytes:
        return _event({"error": {"message": "something went wrong", "type": kind, "code": kind}})

    def status_body(self, status: int, words: str) -> bytes:
        kind = {401: "invalid_request_error", 429: "rate_limit_exceeded"}.get(status, "server_error")
        return json.dumps({"error": {"message": words, "type": kind, "param": None, "code": kind}}).encode()


class Anthropic:
    """Messages."""

    _KINDS = {
        400: "invalid_request_error",
        401: "authentication_error",
        403: "permission_error",
        404: "not_found_error",
        429: "rate_limit_error",
        529: "overloaded_error",
    }

    def start(self) -> bytes:
        message: dict[str, Any] = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "local",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 3, "output_tokens": 1},
        }
        block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        return (
            _event({"type": "message_start", "message": message}, "message_start")
            + _event(block, "content_block_start")
            + _event({"type": "ping"}, "ping")
        )

    def piece(self, text: str) -> bytes:
        return _event(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
            "content_block_delta",
        )

    def call(self, n: int, call_id: str, name: str, arguments: str) -> bytes:
        """The call as a block of its own, its arguments in two bits."""
        half, at = len(arguments) // 2, n + 1
        block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
        begun = {"type": "content_block_start", "index": at, "content_block": block}
        bits = (
            {"type": "content_block_delta", "index": at, "delta": {"type": "input_json_delta", "partial_json": bit}}
            for bit in (arguments[:half], arguments[half:])
        )
        return (
            _event(begun, "content_block_start")
            + b"".join(_event(bit, "content_block_delta") for bit in bits)
            + _event({"type": "content_block_stop", "index": at}, "content_block_stop")
        )

    def end(self, *, called: bool = False) -> bytes:
        delta = {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use" if called else "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 5},
        }
        return (
            _event({"type": "content_block_stop", "index": 0}, "content_block_stop")
            + _event(delta, "message_delta")
            + _event({"type": "message_stop"}, "message_stop")
        )

    def fault(self, kind: str) -> bytes:
        return _event({"type": "error", "error": {"type": kind, "message": "something went wrong"}}, "error")

    def status_body(self, status: int, words: str) -> bytes:
        kind = self._KINDS.get(status, "api_error")
        return json.dumps({"type": "error", "error": {"type": kind, "message": words}}).encode()
