"""For those who operate it: is it alive, is it ready, what does it count."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from collab.processes import readiness
from messaging.roster import credentials


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while this process answers at all."""
    return HttpResponse("ok", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 once all that a message needs is there; otherwise 503 and what is missing."""
    missing = [name for name, there in readiness.report().items() if not there]
    return JsonResponse({"ready": not missing, "missing": missing}, status=503 if missing else 200)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus' text format, for this machine itself and for who keeps the house: counts tell of people's talk."""
    if not (_from_here(request) or _keeps_house(request)):
        raise Http404
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)


def _from_here(request: HttpRequest) -> bool:
    """Whether the caller is this machine, not somebody behind a proxy on it, and shows no credential of its own."""
    forwarded = any(name in request.headers for name in ("X-Forwarded-For", "Forwarded", "Authorization"))
    return request.META.get("REMOTE_ADDR") in ("127.0.0.1", "::1") and not forwarded


def _keeps_house(request: HttpRequest) -> bool:
    word, _, token = request.headers.get("Authorization", "").partition(" ")
    who = credentials.caller(token.strip()) if word.lower() == "bearer" else None
    return who is not None and credentials.keeps_house(who)
