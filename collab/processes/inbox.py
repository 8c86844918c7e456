"""What the house does with lines from the agents' process. A line names no handler: its type does."""

from __future__ import annotations

import logging

from messaging.actions import tasks
from messaging.journal import poke
from messaging.mailbox import wake

log = logging.getLogger(__name__)


def handle(raw: bytes) -> None:
    """Act on one line from the agents; what is none of the known lines is passed over."""
    try:
        match wake.decode(raw):
            case wake.Collect(session):
                tasks.collect.delay(str(session))
            case wake.Piece(session, turn):
                poke.piece(session, turn)
            case _:
                log.warning("The agents' process said something that is no line")
    except Exception:
        # The thread that reads must go on; the sweep collects what this line was about.
        log.exception("A line of the agents' process could not be handled")
