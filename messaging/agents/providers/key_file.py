"""A model's key in a file that nobody else on the machine can read."""

from __future__ import annotations

import os
import stat

from messaging.agents.providers.base import ProviderError

#: Bytes: no key is longer.
_LONGEST = 4096
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read(path: str) -> str:
    """What is in it. Raises ProviderError: `no_key` where there is none, `bad_settings` for one that is open to others.

    No link is followed at its end, and a pipe does not hold anybody up.
    """
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise ProviderError("no_key") from None
    except OSError:
        raise ProviderError("bad_settings") from None
    with os.fdopen(opened, "rb") as file:
        kept = os.fstat(file.fileno())
        if not stat.S_ISREG(kept.st_mode) or kept.st_mode & _OTHERS or kept.st_size > _LONGEST:
            raise ProviderError("bad_settings")
        return file.read(_LONGEST).decode("ascii", errors="replace")
