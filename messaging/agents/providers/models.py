"""Models by pydantic-ai: anything that speaks OpenAI's chat completions, and Anthropic.

No library tries again by itself: attempts are rows, seen by people. No redirect is followed: a key goes to
the address it was given for.
"""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, TypeAlias

import anthropic as anthropic_sdk
import openai as openai_sdk
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    UserPromptPart,
)
from pydantic_ai.models import Model, StreamedResponse
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings

from messaging.agents.context import Digest, Request
from messaging.agents.providers import options, prompt, verdict
from messaging.agents.providers.base import Provider, ProviderError
from messaging.agents.providers.pulse import beating

log = logging.getLogger(__name__)
_CONNECT_SECONDS = 10.0
#: Tokens beyond what a digest may take: one that is a little too long is cut, not lost.
_SLACK = 256
#: A model, and the client that is to be closed after it.
Connected: TypeAlias = tuple[Model, AbstractAsyncContextManager[Any]]

# At their lower levels these write requests and addresses, with whatever text and keys are in them.
for _name in ("openai", "anthropic", "httpx", "httpx2", "httpcore", "httpcore2", "pydantic_ai"):
    logging.getLogger(_name).setLevel(logging.WARNING)


class ModelProvider:
    """Streams a model's answer."""

    def __init__(self, connect: Callable[[options.Options], Connected]) -> None:
        self._connect = connect

    digests = True

    def budget(self, settings: Mapping[str, Any]) -> int:
        """See `base.Provider`."""
        return options.read(settings, os.environ).context_bytes

    def digest(self, digest: Digest) -> Iterator[str]:
        """See `base.Provider`."""
        wanted = options.read(digest.settings, os.environ)
        told, text = prompt.digest(digest)
        messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart(text)], instructions=told)]
        bounded = replace(wanted, max_tokens=digest.most // options.BYTES_PER_TOKEN + _SLACK)
        yield from beating(lambda: _text(self._connect, messages, bounded))

    def stream(self, request: Request) -> Iterator[str]:
        """The answer's text as it comes; see `base.Provider`."""
        wanted = options.read(request.settings, os.environ)
        sides = prompt.conversation(request, wanted.context_bytes)
        if not prompt.ends_with_room(sides):
            raise ProviderError("agent_fault")
        yield from beating(lambda: _text(self._connect, _messages(request, sides), wanted))


async def _text(
    connect: Callable[[options.Options], Connected], messages: list[ModelMessage], wanted: options.Options
) -> AsyncIterator[str]:
    settings = ModelSettings(request_timeout=wanted.deadline)
    if wanted.max_tokens:
        settings["max_tokens"] = wanted.max_tokens
    try:
        model, client = connect(wanted)
        async with client, model_request_stream(model, messages, model_settings=settings) as stream:
            said = False
            async for bit in _bits(stream):
                said = said or bool(bit)
                yield bit
            _check_end(stream, said=said)
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


def _messages(request: Request, sides: list[prompt.Spoken]) -> list[ModelMessage]:
    told = prompt.instructions(request)
    return [
        ModelResponse(parts=[TextPart(side.text)])
        if side.own
        else ModelRequest(parts=[UserPromptPart(side.text)], instructions=told)
        for side in sides
    ]


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
