"""What a browser may load and do on our pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponseBase, JsonResponse

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
App = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]
HEADER = "Content-Security-Policy"
PAGES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# The admin's theme computes expressions and styles in the page.
ADMIN = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


#: Pages of libraries that compute in the page.
LOOSE = ("/admin/", "/api/v1/docs")


class NoNul:
    """Answers 404 to an address that holds a NUL: nothing is called so, and PostgreSQL would not even look.

    A cookie that holds one is no cookie of ours.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass on every other request."""
        request.COOKIES = {name: value for name, value in request.COOKIES.items() if "\x00" not in value}
        asked = (request.path, *request.GET.keys(), *(value for _, values in request.GET.lists() for value in values))
        if any("\x00" in part for part in asked):
            return JsonResponse({"code": "not_found", "detail": "There is nothing here."}, status=404)
        return self.get_response(request)


class ContentSecurityPolicy:
    """Sets the policy of each answer that has none of its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request under the policy of its place."""
        response = self.get_response(request)
        response.headers.setdefault(HEADER, ADMIN if request.path.startswith(LOOSE) else PAGES)
        return response


class BoundedBodies:
    """Answers 413 once a request's body outgrows what any route takes, before anything keeps it."""

    def __init__(self, app: App, most: int) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Pass on the request, counting what comes."""
        taken = 0

        async def counted() -> dict[str, Any]:
            nonlocal taken
            event = await receive()
            taken += len(event.get("body", b""))
            if taken > self.most:
                raise _TooLarge
            return event

        try:
            await self.app(scope, counted, send)
        except _TooLarge:
            await _too_large(send)


class _TooLarge(Exception):
    """The body is larger than any route takes."""


async def _too_large(send: Send) -> None:
    body = b'{"code": "too_long", "detail": "The request is larger than this server takes.", "field": "body"}'
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
