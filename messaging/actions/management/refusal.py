"""What a verb would not take, as the one line that a command ends with."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from messaging.actions.enrol import Taken


def refused(handle: str, error: Taken | ValidationError) -> CommandError:
    """The command's end: a name that is taken says so itself, anything else comes after the word it is about."""
    if isinstance(error, Taken):
        return CommandError(str(error))
    return CommandError(f"{handle!r}: {'; '.join(_complaints(error))}")


def _complaints(error: ValidationError) -> list[str]:
    if not hasattr(error, "error_dict"):
        return [str(one) for one in error.messages]
    return [f"{field} {one}" for field, complaints in error.message_dict.items() for one in complaints]
