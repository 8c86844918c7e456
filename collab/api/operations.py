"""For those who operate it: is it alive, is it ready, what does it count."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from collab.processes import readiness


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
    """Prometheus' text format."""
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)
