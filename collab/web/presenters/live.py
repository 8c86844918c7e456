"""Words and numbers that the page's scripts say again while it is open, each from the place where it stands."""

from __future__ import annotations

from typing import Any

from collab.web.presenters.fate import WAITING
from messaging.domain.reason import TURN
from messaging.domain.turn import MAX_ATTEMPTS

#: `{agent}` stands for a name, `{attempt}` for the number of the attempt that runs or comes next.
SAYS: dict[str, Any] = {
    "reasons": dict(TURN),
    "waiting": {"away": WAITING["away"], "busy": WAITING["busy"]},
    "interrupted": f"Interrupted, attempt {{attempt}} of {MAX_ATTEMPTS}",
    "again": f"Interrupted, trying again ({{attempt}} of {MAX_ATTEMPTS})",
}
