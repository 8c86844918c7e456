"""`manage.py changepassword HANDLE`: Django's own, also where there is no terminal."""

from __future__ import annotations

import sys
from getpass import getpass

from django.contrib.auth.management.commands import changepassword
from django.core.management.base import CommandError

NOTHING = "no password came, and nothing was changed: call it at a terminal, or give two lines on its input"


class Command(changepassword.Command):
    """Asks at the terminal; without one it takes the password, twice, from standard input."""

    def _get_pass(self, prompt: str = "Password: ") -> str:
        """What is typed, or the next line. Raises CommandError where nothing comes."""
        try:
            typed = getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
        except (EOFError, KeyboardInterrupt):
            typed = ""
        if not typed:
            raise CommandError(NOTHING)
        return typed
