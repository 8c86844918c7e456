"""Whether a turn has the rights of the installation's owner."""

from __future__ import annotations

from messaging.mailbox.models import Delivery, Seat, Transition


def works_for_owner(seat: Seat, asked: Delivery) -> bool:
    """Whether what a turn works on is the owner's own: their words, and put before the agent by themselves.

    What somebody else brought before it, by changing who hears it, is not.
    """
    if not seat.owner or (asked.author_kind, asked.author) != ("human", seat.owner):
        return False
    return Transition.objects.filter(delivery=asked.id, step=1, by=seat.owner).exists()
