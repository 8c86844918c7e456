"""How much may be asked of agents and of the server, as far as an operator may change it (decisions, "Bounds")."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Whole numbers of at least 1.

    `agent_inputs_per_minute`: inputs to agents by one person. `hosted_inputs`: what may wait before a hosted seat,
    context not counted. `connected_inbox`: what may wait before a connected one. The next four count turns asked for
    in chat apps, which are not built yet: of one person, in one chat, of all members, of all guests.
    `sockets_per_person`: open sockets of one person in one web process, whatever they signed in by.
    """

    agent_inputs_per_minute: int = 30
    hosted_inputs: int = 16
    connected_inbox: int = 10_000
    per_sender_hour: int = 20
    per_chat_hour: int = 60
    member_daily: int = 200
    guest_daily: int = 50
    sockets_per_person: int = 50
