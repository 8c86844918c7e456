"""Who opens a socket: a bearer token, or the browser's cookie from an allowed origin."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import auth
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from django.utils import timezone

from messaging.roster import credentials
from messaging.roster.access import Caller, Hidden, viewer_of_account
from messaging.roster.models import Account

SUBPROTOCOL = "earshot.bearer"


@dataclass(frozen=True, slots=True)
class Credential:
    """By what somebody came in: a token, by its hash, or a login, by its session's key."""

    token: str = ""
    login: str = ""


def still_good(held: Collection[Credential]) -> set[Credential]:
    """Those that have not been revoked, ended or run out since: two queries, whatever their number."""
    tokens = credentials.unrevoked(one.token for one in held if one.token)
    logins = _unended([one.login for one in held if one.login])
    return {one for one in held if one.token in tokens or one.login in logins}


def _unended(keys: list[str]) -> set[str]:
    if not keys:
        return set()
    rows = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    return set(rows.values_list("session_key", flat=True))


def headers_of(scope: Mapping[str, Any]) -> dict[str, str]:
    """The handshake's headers, names in lower case."""
    pairs: Iterable[tuple[bytes, bytes]] = scope.get("headers", ())
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in pairs}


def bearer_of(scope: Mapping[str, Any]) -> str | None:
    """The token from the Authorization header or the subprotocols, if there is one."""
    word, _, token = headers_of(scope).get("authorization", "").partition(" ")
    if word.lower() == "bearer" and token:
        return token.strip()
    match scope.get("subprotocols"):
        case [word, token] if word == SUBPROTOCOL:
            return str(token)
    return None


def caller_of(scope: Mapping[str, Any]) -> tuple[Caller, Credential] | None:
    """Who opens the socket, and by what; or None. A cookie counts only from an allowed origin. Reads the database."""
    token = bearer_of(scope)
    if token is not None:
        who = credentials.caller(token)
        return (who, Credential(token=credentials.hashed(token))) if who else None
    headers = headers_of(scope)
    if not origin_allowed(headers.get("origin", ""), headers.get("host", "")):
        return None
    return _by_cookie(headers.get("cookie", ""))


def origin_allowed(origin: str, host: str) -> bool:
    """Whether a page of this origin may open a socket with people's cookies: our own address, or a trusted one."""
    try:
        split = urlsplit(origin)
    except ValueError:
        return False
    if split.scheme not in ("http", "https") or not split.netloc:
        return False
    if f"{split.scheme}://{split.netloc}" in settings.CSRF_TRUSTED_ORIGINS:
        return True
    domain, _ = split_domain_port(host)
    return split.netloc.lower() == host.lower() and validate_host(domain, settings.ALLOWED_HOSTS)


def _by_cookie(header: str) -> tuple[Caller, Credential] | None:
    try:
        morsel = SimpleCookie(header).get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        return None
    if morsel is None or "\x00" in morsel.value:
        return None
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(morsel.value)
    account = auth.get_user(request)
    try:
        return (viewer_of_account(account), Credential(login=morsel.value)) if isinstance(account, Account) else None
    except Hidden:
        return None
