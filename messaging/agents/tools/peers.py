"""The other agents of the session, and how each may be called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from messaging.agents.context import Offer
from messaging.agents.tools.base import Result, Tool
from messaging.domain import dispatch, header
from messaging.domain.dispatch import Mode, Place, Target
from messaging.mailbox.models import Seat


def _run(seat: Seat, _: Mapping[str, Any]) -> Result:
    others = Seat.objects.filter(session=seat.session, open=True).exclude(id=seat.id).order_by("handle")
    lines = [f"{one.handle} ({header.one_line(one.name)}), {one.kind}: {_modes(one)}" for one in others]
    return Result("\n".join(lines) or "There is no other agent here.")


def _modes(seat: Seat) -> str:
    """By its own policy; what else may stand against a call is seen when one is made."""
    target = Target(seat.kind, dispatch.policy(seat.policy))
    return ", ".join(mode for mode in Mode if not dispatch.fault(mode, target, Place())) or "takes no calls"


TOOL = Tool(
    Offer(
        "peers",
        "Lists the other agents of this session and the modes in which each may be called.",
        {"type": "object", "properties": {}, "additionalProperties": False},
    ),
    _run,
)
