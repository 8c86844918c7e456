"""Refusals of the roster's verbs, in the API's one shape."""

from __future__ import annotations

from django.core.exceptions import ValidationError

from messaging.actions.draft import Refusal


def taken(field: str, error: Exception) -> Refusal:
    """A name that belongs to somebody already."""
    return Refusal(409, "taken", f"{error}.", field)


def invalid(error: ValidationError) -> Refusal:
    """The first field that a verb would not take."""
    field, complaints = next(iter(error.message_dict.items()))
    return Refusal.shape(field, complaints[0])
