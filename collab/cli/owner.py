"""Who is to own the installation: as an operator says it, in `earshot init` and in `earshot demo leave`."""

from __future__ import annotations

import argparse

from collab.cli.asking import ask
from collab.cli.main import Misused, Refused


def owner_handle(chosen: argparse.Namespace, option: str) -> str:
    """Return the owner's handle: as configured, as given, or as typed. Raises Refused where two of these differ."""
    from django.conf import settings

    configured: str = settings.CONFIGURATION.owner
    given: str = chosen.handle or configured
    if configured and given != configured:
        raise Refused(f"EARSHOT_CONFIG names {configured} as the owner, and {option} {given}: they have to agree")
    if chosen.yes and not given:
        raise Misused(f"{option} is missing: --yes asks nothing, and there is no default for who owns the installation")
    return given or ask("Owner's handle (letters, digits, _ and -, for life)", option)


def owner_words(chosen: argparse.Namespace, handle: str, *, new: bool = False) -> tuple[str, str]:
    """Return the owner's name and address, asked for where they were not given; a known person keeps theirs.

    new: nobody can be known yet, and there may be no table to look in.
    """
    from messaging.roster.models import Person

    if chosen.yes or (not new and Person.objects.filter(handle__spelled=handle).exists()):
        return chosen.name or handle, chosen.email or ""
    name = chosen.name or ask("Name", "--name or --yes", default=handle)
    email = chosen.email if chosen.email is not None else ask("E-mail", "--email or --yes", default="")
    return name, email


def in_words(handle: str, error: Exception) -> str:
    """Return one line for a handle, name or address that cannot be taken."""
    fields = getattr(error, "message_dict", None)
    if fields is None:
        return str(error)
    return "; ".join(f"{field} {' '.join(words)}" for field, words in fields.items()) + f" (owner {handle!r})"
