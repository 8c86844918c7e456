"""A conversation in the form of the library of models: requests and responses by turns."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from messaging.agents.context import Called
from messaging.agents.providers.prompt import Side


def messages(sides: Sequence[Side], told: str) -> list[ModelMessage]:
    """The sides as messages; each request carries `told`, what the model is told before all else.

    What the agent called stands in one response with the words of its step, and what came of it opens the request after
    that, before what the room says there.
    """
    chat = _Chat(told)
    for side in sides:
        if isinstance(side, Called):
            chat.call(side)
        elif side.own:
            chat.say(side.text)
        else:
            chat.hear(side.text)
    chat.close()
    return chat.messages


class _Chat:
    """What has gathered: the response that is being made, and what came of its calls."""

    def __init__(self, told: str) -> None:
        self.messages: list[ModelMessage] = []
        self._told = told
        self._response: list[ModelResponsePart] = []
        self._returns: list[ModelRequestPart] = []
        self._step = 0

    def say(self, text: str) -> None:
        self.close()
        self._response.append(TextPart(text))

    def call(self, called: Called) -> None:
        if self._returns and called.step != self._step:
            self.close()
        self._step = called.step
        self._response.append(ToolCallPart(called.name, dict(called.arguments), called.call_id))
        self._returns.append(ToolReturnPart(called.name, called.text, called.call_id))

    def hear(self, text: str) -> None:
        self._returns.append(UserPromptPart(text))
        self.close()

    def close(self) -> None:
        if self._response:
            self.messages.append(ModelResponse(parts=self._response))
        if self._returns:
            self.messages.append(ModelRequest(parts=self._returns, instructions=self._told))
        self._response, self._returns = [], []
