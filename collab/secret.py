"""The signing key of an installation that was given none: made once, kept beside the data."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path


def kept_in(home: Path) -> str:
    """Return the key in the data folder, made on first use and readable by its owner alone."""
    path = home / "secret_key"
    if not path.exists():
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make(path)
    key = path.read_text().strip()
    if not key:
        raise RuntimeError(f"{path} is empty: delete it and start again")
    return key


def _make(path: Path) -> None:
    # Written aside and then linked, so that of two processes one wins and neither sees half a key.
    descriptor, aside = tempfile.mkstemp(dir=path.parent, prefix=".secret_key-")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(48))
        os.link(aside, path)
    except FileExistsError:
        return
    finally:
        Path(aside).unlink()
