"""Going on in another session, and bringing back from there what is to be heard here."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from collab.api import refuse
from collab.web import viewing
from collab.web.forms import Back, Fork
from collab.web.presenters.carried import may_go_back
from collab.web.presenters.choice import spoken
from collab.web.presenters.choices import choices
from collab.web.views.door import for_people
from messaging.actions.draft import Refusal
from messaging.actions.fork import begins_with, fork
from messaging.actions.merge import merge
from messaging.domain.capability import Capability
from messaging.roster import access
from messaging.roster.access import Hidden, Viewer
from messaging.roster.models import Session
from messaging.transcript import read
from messaging.transcript.view import MessageView

#: Messages that are offered to be brought back.
MOST = 50


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_people
def fork_it(request: HttpRequest, viewer: Viewer, slug: str) -> HttpResponse:
    """Says what another session would begin with, up to the message `until` where one is named; posted, opens it."""
    session = access.session(viewer, slug)
    access.demand(viewer, session, Capability.EXPORT)
    form = Fork(request.POST if request.method == "POST" else request.GET)
    given: dict[str, Any] = form.cleaned_data if form.is_valid() else {"title": "", "until": None}
    problem = ""
    if request.method == "POST" and form.is_valid():
        try:
            made = fork(viewer, session, title=given["title"].strip(), until=given["until"])
        except (Refusal, ValidationError) as error:
            problem = _words(viewer, error, session.id)
        else:
            return redirect("web:session", made.slug)
    return _fork_page(request, viewer, session, given, problem)


def _fork_page(
    request: HttpRequest, viewer: Viewer, session: Session, given: dict[str, Any], problem: str
) -> HttpResponse:
    try:
        rows = begins_with(viewer, session, given["until"])
    except Refusal as refusal:
        rows, problem = [], capfirst(refusal.detail)
    active = next((one for one in access.members(viewer, session) if one.active), None)
    shown = {"session": session, "rows": rows, "active": active, "given": given, "problem": problem}
    return render(request, "web/fork.html", shown, status=422 if problem else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_people
def back(request: HttpRequest, viewer: Viewer, slug: str) -> HttpResponse:
    """Choose messages of a side session or a fork, and who hears them in the session that it came from."""
    session = access.session(viewer, slug)
    home = access.session(viewer, _origin(session))
    form = Back(request.POST)
    if request.method != "POST":
        return _back_page(request, viewer, session, home)
    if not form.is_valid():
        words = "Choose who hears them." if "audience" in form.errors else "Write less: a reason is a few words."
        return _back_page(request, viewer, session, home, words)
    given, keys = form.cleaned_data, request.POST.getlist("m")[:MOST]
    try:
        made = merge(
            viewer, home, slug, _ids(keys), spoken(given["audience"]), reason=given["reason"],
            confirm=given["confirm"], seen=_seen(request.POST.getlist("seen")),
        )  # fmt: skip
    except Refusal as refusal:
        if refusal.code == "confirm_required":
            return _back_page(request, viewer, session, home, confirms=True)
        return _back_page(request, viewer, session, home, _words(viewer, refusal, home.id))
    return redirect(f"{reverse('web:session', args=[home.slug])}#m-{made[0].id}")


def _origin(session: Session) -> UUID:
    """The session that it came from. Raises Hidden for one that came from none."""
    found = session.parent_id or session.fork_of_id
    if found is None:
        raise Hidden
    return found


def _ids(keys: list[str]) -> list[UUID]:
    """What is no id names no message."""
    try:
        return [UUID(key) for key in dict.fromkeys(keys)]
    except ValueError:
        raise Refusal.shape("messages", "names what you cannot see there") from None


def _seen(pairs: list[str]) -> dict[UUID, int]:
    """Message and revision, as the warning showed them; what is none was not shown."""
    found = {}
    for pair in pairs[:MOST]:
        key, _, revision = pair.partition(" ")
        with suppress(ValueError):
            found[UUID(key)] = int(revision[:9])
    return found


def _back_page(
    request: HttpRequest, viewer: Viewer, session: Session, home: Session, problem: str = "", *, confirms: bool = False
) -> HttpResponse:
    picked = set(request.POST.getlist("m"))
    offered = [one for one in read.page(viewer, session, limit=MOST).items if may_go_back(one)]
    shown = {
        "session": session,
        "home": home,
        "offered": [(one, one.id in picked) for one in offered],
        "widened": _widened(offered, picked) if confirms else [],
        # By name they would have to be called in a way; here is only said who hears.
        "choices": [one for one in choices(viewing.speaking(viewer, home)) if not one.value.startswith("agent:")],
        "given": request.POST,
        "problem": problem,
    }
    return render(request, "web/back.html", shown, status=422 if problem else 200)


def _widened(offered: list[MessageView], picked: set[str]) -> list[MessageView]:
    """What people said among themselves and an agent would hear."""
    return [one for one in offered if one.id in picked and one.audience_kind == "participants"]


def _words(viewer: Viewer, error: Refusal | ValidationError, session: UUID) -> str:
    if isinstance(error, Refusal):
        refuse.noted(viewer, error, session)
        return capfirst(error.detail)
    return capfirst("; ".join(f"{field} {' '.join(words)}" for field, words in error.message_dict.items()))
