"""Refusals in the API's one shape."""

from __future__ import annotations

from contextlib import suppress
from http import HTTPStatus
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest
from pydantic import BaseModel

from collab.threads import in_thread
from messaging.actions import audit
from messaging.actions.draft import Refusal
from messaging.roster import access
from messaging.roster.access import Caller, Forbidden, Hidden, Viewer
from messaging.transcript import read


def body(code: str, detail: str, field: str = "") -> dict[str, str]:
    """The one shape of an error."""
    return {"code": code, "detail": detail} | ({"field": field} if field else {})


def more_headers(refusal: Refusal) -> dict[str, str]:
    """What an answer says of a refusal besides its body."""
    more = {"Retry-After": str(refusal.retry_after)} if refusal.retry_after else {}
    return more | ({"WWW-Authenticate": "Bearer"} if refusal.status == HTTPStatus.UNAUTHORIZED else {})


def taken(field: str, error: Exception) -> Refusal:
    """A name that belongs to somebody already."""
    return Refusal(409, "taken", f"{error}.", field)


def invalid(error: ValidationError) -> Refusal:
    """The first field that a verb would not take."""
    field, complaints = next(iter(error.message_dict.items()))
    return Refusal.shape(field, complaints[0])


def refuse_unknown(request: HttpRequest, query: type[BaseModel]) -> None:
    """Raises Refusal for a query's parameter that the route does not know: a typo must not read as "no bound"."""
    unknown = next((name for name in request.GET if name not in query.model_fields), None)
    if unknown is not None:
        raise Refusal.shape(unknown[:64], "is no parameter of this route")


def noted(who: Caller | str, error: Refusal | Forbidden, session: UUID | None = None) -> None:
    """Counts an answer of 403, and has it written down; of any other it does nothing. It never raises.

    who: a caller, or the name of a login that is nobody's; session: where, if the error does not say.
    """
    if isinstance(error, Forbidden) or error.status == HTTPStatus.FORBIDDEN:
        audit.refused(who, error.session or session, error.capability, error.code)


async def noted_by_thread(who: Caller, error: Refusal) -> None:
    """The same for who answers from the loop."""
    if error.status == HTTPStatus.FORBIDDEN:
        await in_thread(noted, who, error)


def place_of(request: HttpRequest, who: Caller | None) -> UUID | None:
    """The session that a request is about, by its address; None where it names none that the caller is in."""
    named = request.resolver_match.kwargs if request.resolver_match else {}
    with suppress(Hidden, DatabaseError, InterfaceError):
        if who is not None and "session" in named:
            return access.session(who, named["session"]).id
        if isinstance(who, Viewer) and "message" in named:
            return UUID(read.message(who, named["message"]).session)
    return None
