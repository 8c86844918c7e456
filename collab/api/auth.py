"""Who calls: a bearer token, or the browser's cookie with CSRF protection."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from ninja.security import APIKeyCookie, HttpBearer

from messaging.roster import credentials
from messaging.roster.access import AgentCaller, Caller, Forbidden, Hidden, Viewer, viewer_of_account


class Bearer(HttpBearer):
    """`Authorization: Bearer <token>` of a person or an agent."""

    def authenticate(self, request: HttpRequest, token: str) -> Caller | None:
        """The token's holder, or None."""
        return credentials.caller(token)


class Cookie(APIKeyCookie):
    """The browser's session; the parent class checks CSRF on everything that changes."""

    param_name = settings.SESSION_COOKIE_NAME

    def __call__(self, request: HttpRequest) -> Any:
        """Asks for CSRF protection where a cookie came that it protects: who came by a token is told of the token."""
        if "Authorization" in request.headers or self.param_name not in request.COOKIES:
            return None
        return super().__call__(request)

    def authenticate(self, request: HttpRequest, key: str | None) -> Caller | None:
        """The signed-in person, or None."""
        account: Any = request.user
        if not account.is_authenticated:
            return None
        try:
            return viewer_of_account(account)
        except Hidden:
            return None


def token_of(request: HttpRequest) -> str:
    """The hash of the bearer token by which the call came; nothing for a cookie."""
    word, _, token = request.headers.get("Authorization", "").partition(" ")
    return credentials.hashed(token) if word.lower() == "bearer" and token else ""


def caller(request: HttpRequest) -> Caller:
    """Who calls; the routes' authentication has seen to it that there is one."""
    who: Caller = request.auth  # type: ignore[attr-defined]
    return who


def person(request: HttpRequest) -> Viewer:
    """The calling person. Raises Hidden for agents: what is for people does not exist for them."""
    who = caller(request)
    if isinstance(who, AgentCaller):
        raise Hidden
    return who


def owner_or_staff(request: HttpRequest) -> Viewer:
    """The calling person if they keep the installation. Raises Forbidden."""
    who = person(request)
    if not credentials.keeps_house(who):
        raise Forbidden("no_capability", "Only the installation's owner and staff may do this.")
    return who
