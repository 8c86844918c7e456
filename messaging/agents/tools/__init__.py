"""Tools of hosted agents. Each sees the seat's own mailbox alone; what it gives back is data to the model.

An agent is offered those that its policy names (`domain.call.offered`), and no other.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from messaging.agents.context import Offer
from messaging.agents.tools import house, peers, recall
from messaging.agents.tools.base import Failed, Result, Tool
from messaging.domain.call import MAX_ARGUMENTS, MAX_CALLS, Call, offered
from messaging.mailbox.models import Seat

__all__ = ["Failed", "Result", "Tool", "acts", "offers", "run"]
log = logging.getLogger(__name__)
TOOLS: Mapping[str, Tool] = MappingProxyType(
    {tool.offer.name: tool for tool in (recall.TOOL, peers.TOOL, *house.TOOLS)}
)


def offers(seat: Seat) -> tuple[Offer, ...]:
    """What the seat's agent may call."""
    return tuple(tool.offer for name, tool in TOOLS.items() if offered(seat.policy, name))


def known(names: Collection[str]) -> tuple[Offer, ...]:
    """The tools of these names: services want to be told of what was called, also where it may not be any more."""
    return tuple(tool.offer for name, tool in TOOLS.items() if name in names)


def acts(calls: Sequence[Call]) -> bool:
    """Whether one of these does something that a second try would do twice."""
    return any(one.name in TOOLS and TOOLS[one.name].acts for one in calls)


def run(seat: Seat, call: Call, n: int = 0) -> Result | None:
    """What the call gives, the `n`-th of its step, from 0; None for one that the house is to settle.

    Raises Failed with words for the model, for whatever it may not or cannot do.
    """
    if n >= MAX_CALLS:
        raise Failed("too_many_calls", f"A step calls at most {MAX_CALLS} tools.")
    tool = TOOLS.get(call.name)
    if tool is None or not offered(seat.policy, call.name):
        raise Failed("no_such_tool", "There is no such tool.")
    if call.arguments is None or len(repr(call.arguments)) > MAX_ARGUMENTS:
        raise Failed("bad_arguments", "The arguments could not be read.")
    try:
        return tool.run(seat, call.arguments) if tool.run else None
    except Failed:
        raise
    except Exception as fault:
        log.exception("The tool %s of seat %s is at fault", call.name, seat.id)
        raise Failed("tool_fault", "The tool failed.") from fault
