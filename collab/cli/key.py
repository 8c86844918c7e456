"""`earshot key set|unset NAME`: a secret into the system's keyring, or out of it. It is never shown."""

from __future__ import annotations

import argparse
import sys

from collab.cli.asking import say
from collab.cli.main import Misused, Refused
from messaging.domain.provider import KEY_RING, KEYRING


def run(chosen: argparse.Namespace) -> None:
    """Do what was chosen. Raises Misused for a name or a secret that cannot be, Refused without a keyring."""
    if not KEY_RING.fullmatch(chosen.name):
        raise Misused("the name takes letters, digits, _ and -, and ends in _api_key")
    # Past the environment of Earshot: no database, no settings are needed for this.
    if chosen.deed == "set":
        _set(chosen.name)
    else:
        _unset(chosen.name)


def _set(name: str) -> None:
    import keyring
    from keyring.errors import KeyringError

    secret = _secret()
    try:
        keyring.set_password(KEYRING, name, secret)
    except (KeyringError, RuntimeError) as error:
        raise Refused(_without(error)) from None
    say(f'Kept as {name}. An agent takes it by the setting "key_ring": "{name}".')


def _unset(name: str) -> None:
    import keyring
    from keyring.errors import KeyringError, PasswordDeleteError

    try:
        keyring.delete_password(KEYRING, name)
    except PasswordDeleteError:
        raise Refused(f"there is no {name} in the keyring") from None
    except (KeyringError, RuntimeError) as error:
        raise Refused(_without(error)) from None
    say(f"{name} is in the keyring no more.")


def _without(error: Exception) -> str:
    """What went wrong, in words of our own: an error of a keyring may quote what it was given."""
    return f"this system's keyring did not take it ({type(error).__name__}): use key_file or key_env"


def _secret() -> str:
    """What is typed without an echo, or the first line of what is piped in. Raises Misused, Refused."""
    if sys.stdin.isatty():
        from getpass import getpass

        try:
            typed = getpass("The key (it is not shown): ").strip()
        except (EOFError, KeyboardInterrupt):
            raise Refused("nothing was changed") from None
    else:
        typed = sys.stdin.readline().strip()
    if not typed or not typed.isascii() or not typed.isprintable():
        raise Misused("a key is one line of printable ASCII")
    return typed
