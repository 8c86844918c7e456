"""Refusals in the API's one shape."""

from __future__ import annotations

from http import HTTPStatus

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from pydantic import BaseModel

from messaging.actions.draft import Refusal


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
