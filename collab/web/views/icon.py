"""The product's sign for whoever asks for it where browsers look by habit."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.views.decorators.http import require_safe


@require_safe
def icon(_request: HttpRequest) -> HttpResponse:
    """Leads to the ear."""
    return redirect(static("web/icon.svg"))
