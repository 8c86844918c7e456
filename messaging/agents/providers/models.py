"""Models by pydantic-ai: anything that speaks OpenAI's chat completions, and Anthropic.

No library tries again by itself: attempts are rows, seen by people. No redirect is followed: a key goes to
the address it was given for.
"""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import anthropic as anthropic_sdk
import openai as openai_sdk
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from messaging.agents.context import Digest, Offer, Request
from messaging.agents.providers import chat, options, prompt, verdict
from messaging.agents.providers.base import Bit, Provider, ProviderError
from messaging.agents.providers.pulse import beating
from messaging.domain.call import Call, Spent

log = logging.getLogger(__name__)
_CONNECT_SECONDS = 10.0
#: Tokens beyond what a digest may take: one that is a little too long is cut, not lost.
_SLACK = 256
#: A model, and the client that is to be closed after it.
Connected: TypeAlias = tuple[Model, AbstractAsyncContextManager[Any]]

# At their lower levels these write requests and addresses, with whatever text and keys are in them.
for _name in ("openai", "anthropic", "httpx", "httpx2", "httpcore", "httpcore2", "pydantic_ai"):
    logging.getLogger(_name).setLevel(logging.WARNING)


@dataclass(frozen=True, slots=True)
class Asked:
    """What goes over the wire: the messages, the tools that may be called, and whether none may be any more."""

    messages: list[ModelMessage]
    tools: list[ToolDefinition] = field(default_factory=list)
    must_answer: bool = False


class ModelProvider:
    """Streams a model's answer."""

    def __init__(self, connect: Callable[[options.Options], Connected]) -> None:
        self._connect = connect

    digests = True

    def budget(self, settings: Mapping[str, Any]) -> int:
        """See `base.Provider`."""
        return options.read(settings, os.environ).context_bytes

    def digest(self, digest: Digest) -> Iterator[Bit]:
        """See `base.Provider`."""
        wanted = options.read(digest.settings, os.environ)
        told, text = prompt.digest(digest)
        messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart(text)], instructions=told)]
        bounded = replace(wanted, max_tokens=digest.most // options.BYTES_PER_TOKEN + _SLACK)
        yield from beating(lambda: _said(self._connect, Asked(messages), bounded))

    def stream(self, request: Request) -> Iterator[Bit]:
        """The answer's text as it comes; see `base.Provider`."""
        wanted = options.read(request.settings, os.environ)
        sides = prompt.conversation(request, wanted.context_bytes)
        if not prompt.ends_with_room(sides):
            raise ProviderError("agent_fault")
        asked = Asked(
            chat.messages(sides, prompt.instructions(request)),
            [_definition(tool) for tool in request.tools],
            request.must_answer,
        )
        yield from beating(lambda: _said(self._connect, asked, wanted))


async def _said(
    connect: Callable[[options.Options], Connected], asked: Asked, wanted: options.Options
) -> AsyncIterator[Bit]:
    settings = ModelSettings(request_timeout=wanted.deadline)
    if wanted.max_tokens:
        settings["max_tokens"] = wanted.max_tokens
    if asked.tools and asked.must_answer:
        settings["tool_choice"] = "none"
    try:
        model, client = connect(wanted)
        tools = ModelRequestParameters(function_tools=asked.tools)
        async with (
            client,
            model_request_stream(
                model, asked.messages, model_settings=settings, model_request_parameters=tools
            ) as stream,
        ):
            said = False
            async for bit in _bits(stream):
                said = said or bool(bit)
                yield bit
            calls = [part for part in stream.get().parts if isinstance(part, ToolCallPart)]
            _check_end(stream, said=said or bool(calls))
            for part in calls:
                yield Call(part.tool_call_id, part.tool_name, _arguments(part))
            used = stream.usage
            yield Spent(used.input_tokens, used.output_tokens)
    except Exception as error:  # noqa: BLE001 — whatever a broken stream makes the libraries raise ends here
        found = verdict.of(error)
        if found is not error:
            log.info("A model gave no answer: %s (%s)", found.reason, type(error).__name__)
        raise found from None


async def _bits(stream: StreamedResponse) -> AsyncIterator[str]:
    async for event in stream:
        if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
            yield event.part.content
        elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
            yield event.delta.content_delta


def _check_end(stream: StreamedResponse, *, said: bool) -> None:
    """An answer is whole only where the model said why it ended; a connection may also close politely."""
    why = (stream.provider_details or {}).get("finish_reason")
    if why is None and stream.finish_reason != "content_filter":
        raise ProviderError("provider_cut" if said else "provider_nonsense")
    if stream.finish_reason == "content_filter":
        raise ProviderError("provider_refused")


def _arguments(part: ToolCallPart) -> dict[str, Any] | None:
    try:
        return part.args_as_dict(raise_if_invalid=True)
    except ValueError:
        return None


def _definition(tool: Offer) -> ToolDefinition:
    return ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=dict(tool.schema))


def openai_compatible() -> Provider:
    """The provider `openai`."""
    return ModelProvider(_openai_model)


def anthropic() -> Provider:
    """The provider `anthropic`."""
    return ModelProvider(_anthropic_model)


def _openai_model(wanted: options.Options) -> Connected:
    timeout = openai_sdk.Timeout(wanted.timeout, connect=_CONNECT_SECONDS)
    client = openai_sdk.AsyncOpenAI(
        api_key=wanted.key,
        base_url=wanted.base_url,
        max_retries=0,
        timeout=timeout,
        http_client=openai_sdk.DefaultAsyncHttpxClient(follow_redirects=False, timeout=timeout),
    )
    if wanted.base_url is None:
        return OpenAIChatModel(wanted.model, provider=OpenAIProvider(openai_client=client)), client
    compatible = OpenAICompatibleProvider("model", openai_client=client)
    return OpenAIChatModel(wanted.model, provider=compatible), client


def _anthropic_model(wanted: options.Options) -> Connected:
    timeout = anthropic_sdk.Timeout(wanted.timeout, connect=_CONNECT_SECONDS)
    client = anthropic_sdk.AsyncAnthropic(
        api_key=wanted.key,
        base_url=wanted.base_url,
        max_retries=0,
        timeout=timeout,
        http_client=anthropic_sdk.DefaultAsyncHttpxClient(follow_redirects=False, timeout=timeout),
    )
    return AnthropicModel(wanted.model, provider=AnthropicProvider(anthropic_client=client)), client
