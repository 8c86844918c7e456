"""Chromium as this machine has it."""

from __future__ import annotations

import shutil

#: The same engine with nothing around the page.
SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome")


def program() -> str | None:
    """Find it on the path, the quickest first."""
    return next(filter(None, map(shutil.which, NAMES)), None)
