"""Who may keep the installation: close accounts, agents and tokens, and open them again."""

from __future__ import annotations

from messaging.domain.actor import HOUSE
from messaging.roster import credentials
from messaging.roster.access import Forbidden, Viewer


def demand(who: Viewer | None) -> str:
    """Who does it, for the audit log. Nobody: whoever sits at the server's command line. Raises Forbidden."""
    if who is None:
        return HOUSE
    if not credentials.keeps_house(who):
        raise Forbidden("no_capability", "Only the installation's owner and staff may do this.")
    return who.handle
