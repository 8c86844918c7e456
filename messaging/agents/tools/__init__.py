"""Tools of hosted agents. Each sees the seat's own mailbox alone; what it gives back is data to the model.

An agent is offered those that its policy names (`domain.call.offered`), and no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from messaging.agents.tools import house, peers, recall
from messaging.agents.tools.base import Failed, Result, Tool

__all__ = ["TOOLS", "Failed", "Result", "Tool"]
#: The house's own.
TOOLS: Mapping[str, Tool] = MappingProxyType(
    {tool.offer.name: tool for tool in (recall.TOOL, peers.TOOL, *house.TOOLS)}
)
