"""The API as one object: its routes, who may call, and one shape for every error."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from collab.api import asks, deeds, forks, invitations, me, messages, refuse, sessions, targets, turns
from collab.api.auth import Bearer, Cookie
from collab.api.render import Exact
from messaging.actions.draft import Refusal
from messaging.roster.access import Caller, Forbidden, Hidden

log = logging.getLogger(__name__)

api = NinjaAPI(
    title="Earshot",
    version="1",
    auth=[Bearer(), Cookie()],
    urls_namespace="api",
    renderer=Exact(),
    description="Every message says who may hear it, and the server keeps it so.",
)
api.add_router("", me.router)
api.add_router("", sessions.router)
api.add_router("", invitations.router)
api.add_router("", messages.router)
api.add_router("", deeds.router)
api.add_router("", turns.router)
api.add_router("", targets.router)
api.add_router("", asks.router)
api.add_router("", forks.router)


def answer(request: HttpRequest, status: int, code: str, detail: str, field: str = "") -> HttpResponse:
    """The one shape of an error."""
    return api.create_response(request, refuse.body(code, detail, field), status=status)


def _note(request: HttpRequest, error: Refusal | Forbidden) -> None:
    who: Caller | None = getattr(request, "auth", None)
    refuse.noted(who or "", error, error.session or refuse.place_of(request, who))


@api.exception_handler(Refusal)
def _refusal(request: HttpRequest, error: Refusal) -> HttpResponse:
    if error.status == HTTPStatus.FORBIDDEN:
        _note(request, error)
    response = answer(request, error.status, error.code, error.detail, error.field)
    for name, value in refuse.more_headers(error).items():
        response[name] = value
    return response


@api.exception_handler(Hidden)
def _hidden(request: HttpRequest, error: Hidden) -> HttpResponse:
    return answer(request, 404, "not_found", "There is nothing here.")


@api.exception_handler(Forbidden)
def _forbidden(request: HttpRequest, error: Forbidden) -> HttpResponse:
    _note(request, error)
    return answer(request, 403, error.code, error.detail)


@api.exception_handler(AuthenticationError)
def _unauthenticated(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    return _refusal(request, Refusal.unauthenticated())


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Names the field, never repeats its value."""
    first: dict[str, Any] = error.errors[0] if error.errors else {}
    path = [str(part) for part in first.get("loc", ()) if part not in ("body", "query", "path", "data")]
    detail = str(first.get("msg", "The request has the wrong shape."))
    return answer(request, 422, "invalid", detail, ".".join(path) or "body")


@api.exception_handler(HttpError)
def _http(request: HttpRequest, error: HttpError) -> HttpResponse:
    if error.status_code == HTTPStatus.BAD_REQUEST:
        return answer(request, 422, "invalid", "The body is no JSON.", "body")
    if error.status_code == HTTPStatus.FORBIDDEN:
        # A page elsewhere may have sent it: nobody tried anything.
        refuse.noted("", Refusal(error.status_code, "refused", str(error)))
    return answer(request, error.status_code, "refused", str(error))


@api.exception_handler(RequestDataTooBig)
def _too_big(request: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
    return answer(request, 413, "too_long", "The request is larger than this server takes.", "body")


@api.exception_handler(OperationalError)
@api.exception_handler(InterfaceError)
def _unavailable(request: HttpRequest, error: Exception) -> HttpResponse:
    log.warning("the database does not answer: %s", type(error).__name__)
    return _refusal(request, Refusal.unavailable())


@api.exception_handler(Exception)
def _broken(request: HttpRequest, error: Exception) -> HttpResponse:
    """What nobody foresaw: logged by kind and place, without text of people."""
    route = request.resolver_match.route if request.resolver_match else ""
    log.error("unforeseen %s in %s %s", type(error).__name__, request.method, route, exc_info=error)
    return _refusal(request, Refusal.broken())
