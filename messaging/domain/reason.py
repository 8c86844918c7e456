"""Why a delivery or a turn ended as it did: short codes for programs, words for people.

The codes are all that is stored, logged and counted. The words are made from them here, never from what a
provider or a person sent, so that no secret and no text can travel inside a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: Why a delivery was refused, withdrawn or came too late.
DELIVERY: Mapping[str, str] = MappingProxyType(
    {
        "not_member": "its author is no longer here",
        "no_capability": "its author may not ask {agent}",
        "session_closed": "the session was closed",
        "seat_gone": "{agent} is no longer here",
        "queue_full": "too much is waiting for {agent}",
        "over_budget": "the budget of {agent} for today is used up",
        "not_available": "{agent} is out of use here",
        "no_mode": "{agent} cannot be asked in this way",
        "namespace": "{agent} does not work in sessions of this kind",
        "depth": "that would be nested too deep",
        "children": "this session has too many side sessions already",
        "source": "{agent} works with tools that this session does not grant",
        "placement": "nothing runs just now where {agent} is to be run",
        "tools": "its author is not permitted to ask {agent} in this way",
        "hops": "agents have passed this on to each other too often without a person",
        "edited": "edited before it was heard",
        "withdrawn": "withdrawn by its author",
        "deleted": "deleted before it was heard",
        "reclassified": "its audience was changed before it was heard",
        "stopped": "stopped before it was heard",
        "turn_ended": "{agent} had already finished",
        "uncertain": "it may have arrived and is not sent again by itself",
        "steps_used_up": "{agent} was already at its last step",
        "idle": "{agent} was not at work, so it waits its turn",
        "no_steering": "{agent} cannot be steered, so it waits",
        "not_yours": "{agent} works for somebody whose turns are theirs alone, so it waits",
        "fresh_start": "{agent} was started afresh before it was told",
        "disabled": "its author's account was closed",
        "consult_timeout": "{agent} took too long",
        "busy": "{agent} is busy",
        "away": "{agent} is away",
    }
)

#: Why a turn, or one attempt at it, failed.
TURN: Mapping[str, str] = MappingProxyType(
    {
        "provider_auth": "{agent}'s model refused its key",
        "provider_quota": "the account of {agent}'s model has nothing left",
        "provider_busy": "{agent}'s model asks to wait",
        "provider_error": "{agent}'s model had a fault of its own",
        "provider_cut": "the connection to {agent}'s model broke off",
        "provider_timeout": "{agent}'s model took too long",
        "provider_unreachable": "{agent}'s model cannot be reached",
        "provider_unknown_model": "{agent}'s model is not known where it was looked for",
        "provider_refused": "{agent}'s model did not take the request",
        "provider_nonsense": "what came from {agent}'s model was no answer",
        "context_too_long": "the conversation is too long for {agent}'s model",
        "empty_answer": "{agent} said nothing",
        "answer_too_long": "{agent}'s answer grew too long",
        "answer_refused": "{agent} answered, but may not say it here any more",
        "no_provider": "{agent} has no model that is known here",
        "no_key": "the key of {agent}'s model is not set",
        "bad_settings": "the settings of {agent}'s model do not fit",
        "interrupted": "{agent} was interrupted",
        "withheld": "what it was asked was taken back",
        "seat_gone": "{agent} is no longer here",
        "stopped": "stopped",
        "agent_fault": "{agent} failed by a fault of Earshot",
    }
)

#: Why nothing was found at a source, or a call of its tools failed: what follows "its source", or "it".
SOURCE: Mapping[str, str] = MappingProxyType(
    {
        "source_settings": "has settings that do not fit",
        "source_key": "has a key that is not set, or cannot be read, where the agents run",
        "source_env": "names a variable that is not set where the agents run",
        "source_program": "has a program that could not be started",
        "source_unreachable": "cannot be reached",
        "source_refused": "refused the key",
        "source_timeout": "took too long",
        "source_ended": "ended before it answered",
        "source_nonsense": "does not speak the protocol",
        "source_too_much": "sent more than is taken",
        "source_folder": "has a folder that is not there, or may not be read",
        "source_many": "has more tools than are taken, so the last of them are missing",
        "source_changed": "has changed this tool since it was looked at, so it is not called",
        "source_gone": "is not to be had here any more",
        "source_fault": "could not be used by a fault of Earshot",
        "tool_error": "says that the tool failed",
    }
)

#: Why somebody's word did not come to what an agent called: what follows "No answer:".
CALL: Mapping[str, str] = MappingProxyType(
    {
        "declined": "it was declined",
        "no_answer": "nobody answered in time",
        "nobody_to_ask": "there is nobody who could be asked",
    }
)

#: Causes that may be gone at the next attempt. Everything else is final: the same request would fail again.
PASSING = frozenset(
    {
        "provider_busy",
        "provider_error",
        "provider_cut",
        "provider_timeout",
        "provider_unreachable",
        "interrupted",
    }
)


def words(code: str, agent: str = "the agent") -> str:
    """What people may read of a reason, as the end of a sentence; empty for a code that is none."""
    template = DELIVERY.get(code) or TURN.get(code) or SOURCE.get(code) or CALL.get(code) or ""
    # Replaced, not formatted: a name may hold braces.
    return template.replace("{agent}", agent)


def is_passing(code: str) -> bool:
    """Whether another attempt may help."""
    return code in PASSING
