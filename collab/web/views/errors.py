"""What went wrong, what was kept, what to do; in the same look as everything else."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from messaging.actions import audit


def _problem(request: HttpRequest, status: int, title: str, words: str) -> HttpResponse:
    return render(request, "web/problem.html", {"title": title, "words": words}, status=status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """404, whether it does not exist or is not for this person."""
    return _problem(
        request, 404, "Nothing here", "This page does not exist, or it is not for you. Nothing was changed."
    )


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """403 by Django itself, as in the back office; counted and written down like any other."""
    audit.refused(_login(request), None, audit.OTHER, "forbidden")
    return not_allowed(request, "You may not do this here.")


def not_allowed(request: HttpRequest, words: str) -> HttpResponse:
    """403 for a right that is lacking."""
    return _problem(request, 403, "Not allowed", f"{words} Nothing was changed.")


def _login(request: HttpRequest) -> str:
    """The name of the login; an account's is its person's handle."""
    return request.user.get_username() if request.user.is_authenticated else ""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """400."""
    return _problem(
        request, 400, "Not understood", "The browser sent something that makes no sense here. Nothing was changed."
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django's signature
    """403 for a form that does not come from our own page, or from one that is too old."""
    # Counted alone: whoever is signed in did not try this, or merely waited too long.
    audit.refused("", None, audit.OTHER, "refused")
    return _problem(
        request,
        403,
        "This form is out of date",
        "Nothing was changed. Go back, load the page again and send it once more.",
    )


def no_person(request: HttpRequest) -> HttpResponse:
    """403 for a login that belongs to nobody here."""
    audit.refused(_login(request), None, audit.OTHER, "no_person")
    return _problem(
        request, 403, "No person", "This login belongs to no person of this Earshot. Ask who runs it to add you."
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """500."""
    return _problem(
        request,
        500,
        "That went wrong",
        "The fault is ours and was noted. What you had sent before is kept; load the page again to see what arrived.",
    )
