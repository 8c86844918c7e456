"""How much may be asked of agents, as far as an operator may change it (decisions, "Bounds")."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Whole numbers of at least 1.

    `agent_inputs_per_minute`: inputs to agents by one person. `hosted_inputs`: what may wait before a hosted seat,
    context not counted. `connected_inbox`: what may wait before a connected one. The last four count turns asked for
    in chat apps: of one person, in one chat, of all members, of all guests.
    """

    agent_inputs_per_minute: int = 30
    hosted_inputs: int = 16
    connected_inbox: int = 10_000
    per_sender_hour: int = 20
    per_chat_hour: int = 60
    member_daily: int = 200
    guest_daily: int = 50
