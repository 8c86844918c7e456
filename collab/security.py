"""What a browser may load and do on our pages."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase, JsonResponse

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
        response.headers.setdefault(HEADER, ADMIN if request.path.startswith("/admin/") else PAGES)
        return response
