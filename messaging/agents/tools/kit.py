"""What one attempt of a seat's agent may call: the house's own tools, and those of its sources."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cached_property

from django.db.models import Q

from messaging.agents import tools
from messaging.agents.context import Offer
from messaging.agents.sources import Opened
from messaging.agents.tools.base import Failed, Result, Tool
from messaging.agents.watch import Interrupted
from messaging.domain.call import (
    MAX_ARGUMENTS,
    MAX_CALLS,
    Call,
    Permission,
    is_too_deep,
    needs_word,
    offered,
    permission,
)
from messaging.domain.source import source_of
from messaging.mailbox.lease import LeaseLost
from messaging.mailbox.models import Seat, Source

log = logging.getLogger(__name__)


class Kit:
    """The tools of one attempt; nothing that it opened outlives `close`.

    owners: whether the turn has the rights of the installation's owner, as the seat is now. look: called while a call
    runs; what it raises ends the call and goes on to who called.
    """

    def __init__(
        self, seat: Seat, look: Callable[[], None] | None = None, owners: Callable[[Seat], bool] = lambda _: False
    ) -> None:
        self._opened = Opened(seat, look)
        self._owners = owners

    def close(self) -> None:
        """Ends whatever was opened for it."""
        self._opened.close()

    @cached_property
    def _tools(self) -> Mapping[str, Tool]:
        """The house's come first: no source has one of the same name."""
        return {one.offer.name: one for one in self._opened.tools()} | dict(tools.TOOLS)

    def offers(self, seat: Seat) -> tuple[Offer, ...]:
        """What the seat's agent may call."""
        names = [*tools.TOOLS, *(name for name in self._tools if name not in tools.TOOLS)]
        return tuple(self._tools[name].offer for name in names if self._is_offered(seat, name))

    def known(self, names: Collection[str]) -> tuple[Offer, ...]:
        """The tools of these names: services want to be told of what was called, also where it may not be any more."""
        return tuple(tool.offer for name, tool in self._tools.items() if name in names)

    def acts(self, seat: Seat, calls: Sequence[Call]) -> bool:
        """Whether one of these does something that a second try would do twice; asking somebody for their word does."""
        return any(self._acts(seat, one.name) for one in calls)

    def _acts(self, seat: Seat, name: str) -> bool:
        tool = self._tools.get(name)
        return tool is not None and (tool.acts or needs_word(seat.policy, name))

    def check(self, seat: Seat, call: Call, n: int = 0) -> Tool:
        """The tool of a call, the `n`-th of its step, from 0. Raises Failed where it may not be called so."""
        if n >= MAX_CALLS:
            raise Failed("too_many_calls", f"A step calls at most {MAX_CALLS} tools.")
        tool = self._tools.get(call.name)
        if tool is None or not self._is_offered(seat, call.name):
            raise Failed("no_such_tool", "There is no such tool.")
        if call.arguments is None or is_too_deep(call.arguments) or len(repr(call.arguments)) > MAX_ARGUMENTS:
            raise Failed("bad_arguments", "The arguments could not be read.")
        return tool

    def check_since(self, name: str, since: datetime) -> None:
        """Raises Failed where a tool's source was changed, or looked at anew, since then: another may answer by now."""
        changed = Q(asked_at__gt=since) | Q(listed_at__gt=since)
        if Source.objects.filter(changed, name=source_of(name)).exists():
            raise Failed("source_changed", "Its source was changed since this was asked for, so it was not done.")

    def run(self, seat: Seat, call: Call, n: int = 0) -> Result | None:
        """What the call gives; None for one that the house is to settle.

        Raises Failed with words for the model, for whatever it may not or cannot do, and what `look` raises.
        """
        tool = self.check(seat, call, n)
        try:
            return tool.run(seat, call.arguments or {}) if tool.run else None
        except (Failed, LeaseLost, Interrupted):
            raise
        except Exception as fault:
            log.exception("The tool %s of seat %s is at fault", call.name, seat.id)
            raise Failed("tool_fault", "The tool failed.") from fault

    def _is_offered(self, seat: Seat, name: str) -> bool:
        owners = permission(seat.policy, name) is Permission.OWNER and self._owners(seat)
        return offered(seat.policy, name, owners=owners)
