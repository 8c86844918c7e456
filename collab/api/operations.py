"""For those who operate it: is it alive, is it ready, what does it count."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from collab.processes import exposition, readiness
from messaging.roster import credentials


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while this process answers at all."""
    return HttpResponse("ok", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 once all that a message needs is there; otherwise 503, what is missing, and what nobody can tell now.

    Of a fleet also which placements are served, and which are not though agents are placed there.
    """
    report = readiness.report()
    missing = [name for name, there in report.items() if there is False]
    unknown = [name for name, there in report.items() if there is None]
    ready = not missing and not unknown
    told = {"ready": ready, "missing": missing, "unknown": unknown, **readiness.placements(report)}
    return JsonResponse(told, status=200 if ready else 503)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus' text format, for this machine itself and for who keeps the house: counts tell of people's talk."""
    if not (_from_here(request) or _keeps_house(request)):
        raise Http404
    return HttpResponse(exposition.text(), content_type=exposition.CONTENT_TYPE)


def _from_here(request: HttpRequest) -> bool:
    """Whether the caller is this machine, not somebody behind a proxy on it, and shows no credential of its own."""
    forwarded = any(name in request.headers for name in ("X-Forwarded-For", "Forwarded", "Authorization"))
    return request.META.get("REMOTE_ADDR") in ("127.0.0.1", "::1") and not forwarded


def _keeps_house(request: HttpRequest) -> bool:
    word, _, token = request.headers.get("Authorization", "").partition(" ")
    who = credentials.caller(token.strip()) if word.lower() == "bearer" else None
    return who is not None and credentials.keeps_house(who)
