"""A model's key in the system's keyring, where `earshot key set` puts it."""

from __future__ import annotations

import logging
import threading

from messaging.agents.providers.base import ProviderError
from messaging.domain.provider import KEYRING

log = logging.getLogger(__name__)
#: Seconds: one that is locked asks a person first, who may be asleep.
PATIENCE = 10.0


def read(name: str, patience: float = PATIENCE) -> str:
    """What lies there under that name. Raises ProviderError `no_key` where there is none, or no keyring that answers.

    It is asked in a thread of its own, for it may never answer.
    """
    found: list[str] = []
    asking = threading.Thread(target=_ask, args=(name, found), name="keyring", daemon=True)
    asking.start()
    asking.join(patience)
    if asking.is_alive():
        log.warning("The keyring does not answer within %g s: it may be locked", patience)
    if not found:
        raise ProviderError("no_key")
    return found[0]


def _ask(name: str, found: list[str]) -> None:
    try:
        # Loaded where it is wanted: it looks for the system's keyrings meanwhile.
        import keyring

        kept = keyring.get_password(KEYRING, name)
    except Exception as error:  # noqa: BLE001 -- each system's keyring fails in its own way; none has given a key
        log.warning("The keyring gave no key (%s)", type(error).__name__)
        return
    if kept is not None:
        found.append(kept)
