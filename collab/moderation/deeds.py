"""Deeds that the back office offers on chosen rows. Each calls one verb a row: rights and record are the verb's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest

from collab.api import refuse
from messaging.actions.draft import Refusal
from messaging.roster.access import Forbidden, Hidden, Viewer, viewer_of_account
from messaging.roster.models import Account

#: Somebody of the staff, and what a row is called by.
Verb = Callable[[Viewer, Any], None]


def each(request: HttpRequest, verb: Verb, names: Iterable[Any], done: str) -> None:
    """Calls the verb for each row, and says how many it was done to and what was refused."""
    try:
        who = viewer_of_account(cast("Account", request.user))
    except Hidden:
        messages.error(request, "This login belongs to no person here, so nothing was done.")
        return
    told = [_one(who, verb, name) for name in names]
    for words in dict.fromkeys(one for one in told if one):
        messages.error(request, words)
    if told.count(""):
        messages.success(request, f"{told.count('')} {done}.")


def _one(who: Viewer, verb: Verb, name: Any) -> str:
    """What the verb refused, if it did."""
    try:
        verb(who, name)
    except Hidden:
        return "One of them is not there any more, or has no person."
    except (Refusal, Forbidden) as error:
        refuse.noted(who, error)
        return error.detail
    return ""
