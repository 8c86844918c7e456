"""Doing something to a message: a page with one form, which the session's page shows in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from collab.api import refuse
from collab.web import viewing
from collab.web.forms import Again, Delete, Edit, Hearers
from collab.web.presenters import ahead
from collab.web.presenters.choice import AND, dispatch_of, spoken
from collab.web.presenters.choices import choices
from collab.web.presenters.company import Company
from collab.web.presenters.deeds import Deed, deeds, open_to, within_reach
from collab.web.views.door import for_people
from messaging.actions.delete import delete
from messaging.actions.draft import Refusal
from messaging.actions.edit import edit
from messaging.actions.reclassify import reclassify
from messaging.actions.resend import resend
from messaging.actions.supersede import supersede
from messaging.actions.take_back import KEEP, TAKE_BACK
from messaging.domain.audience import Kind
from messaging.domain.capability import Capability
from messaging.roster import access
from messaging.roster.access import Forbidden, Hidden, Viewer
from messaging.roster.models import Session
from messaging.transcript import answers, read
from messaging.transcript.view import MessageView

#: What each deed does with what its form gave.
_DO: Mapping[str, Callable[[Viewer, str, dict[str, Any]], MessageView]] = {
    "edit": lambda who, key, given: edit(who, key, given["text"].replace("\r\n", "\n"), given["revision"]),
    "withdraw": lambda who, key, given: supersede(who, key),  # noqa: ARG005 -- all have one shape
    "again": lambda who, key, given: resend(who, key, agents=given["agents"].split() or None).message,
    "delete": lambda who, key, given: delete(who, key, given["reason"], answers=given["answers"] or KEEP),
    "hearers": lambda who, key, given: let_hear(
        who, key, given["audience"], given["reason"], given["revision"], given["answers"]
    ),
}
_FORMS: Mapping[str, type[forms.Form]] = {"edit": Edit, "delete": Delete, "hearers": Hearers, "again": Again}
#: What takes a message back, with the capability by which the answers to others are taken back along with it.
_TAKES_BACK = {"delete": Capability.MODERATE, "hearers": Capability.RECLASSIFY}
_MISSING = {"text": "Write something first.", "audience": "Choose who hears it.", "reason": "Say why, in a few words."}
#: What each says beforehand of agents.
_AHEAD: Mapping[str, Callable[[MessageView], list[str]]] = {"edit": ahead.before_edit, "delete": ahead.before_delete}
_TOO_LATE = "This cannot be done with it (any more). Nothing was changed."


@dataclass(frozen=True, slots=True)
class Place:
    """The message that a page is about, and who looks at it."""

    viewer: Viewer
    session: Session
    message: MessageView
    here: Company


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_people
def deed(request: HttpRequest, viewer: Viewer, slug: str, message: str, name: str) -> HttpResponse:
    """The form of one deed; posted, the deed, and back to the message. With `part` the form alone."""
    place = _place(viewer, slug, message)
    if name not in _DO:
        raise Http404
    if request.method != "POST":
        return _ask(request, place, name)
    form = _FORMS.get(name, forms.Form)(request.POST)
    if not form.is_valid():
        words = next((_MISSING[field] for field in form.errors if field in _MISSING), "Something is missing.")
        return _page(request, place, name, 422, words)
    try:
        _DO[name](viewer, place.message.id, form.cleaned_data)
    except (Refusal, Forbidden) as error:
        refuse.noted(viewer, error, place.session.id)
        status = error.status if isinstance(error, Refusal) else HTTPStatus.FORBIDDEN
        return _page(request, place, name, status, capfirst(error.detail))
    return redirect(f"{reverse('web:session', args=[place.session.slug])}#m-{place.message.id}")


def let_hear(who: Viewer, key: str, audience: str, reason: str, revision: int | None, answers: str = "") -> MessageView:
    """Gives a message a new audience. The form's one button says whom it lets hear: that is the confirmation.

    answers: whether they are taken back where nobody but people is to hear it any more.
    """
    how = dispatch_of(audience)
    wish = TAKE_BACK if answers and audience == Kind.PARTICIPANTS else KEEP
    return reclassify(who, key, spoken(audience), reason, confirm=True, dispatch=how, revision=revision, answers=wish)


def _place(viewer: Viewer, slug: str, message: str) -> Place:
    session = access.session(viewer, slug)
    view = read.message(viewer, message)
    if view.session != str(session.id):
        raise Hidden
    return Place(viewer, session, view, viewing.speaking(viewer, session))


def _ask(request: HttpRequest, place: Place, name: str) -> HttpResponse:
    running = read.running(place.viewer, place.session).keys()
    if _among(name, open_to(place.here, place.message, running)):
        return _page(request, place, name, 200)
    if _among(name, deeds(place.message)) and not _among(name, within_reach(place.here, place.message)):
        asked = next(one for one in deeds(place.message) if one.name == name)
        wanted = min(asked.own or asked.others or ("",))
        raise Forbidden("not_yours", "Your role here does not reach this message.", wanted, place.session.id)
    return _page(request, place, name, 409, _TOO_LATE, possible=False)


def _among(name: str, found: Iterable[Deed]) -> bool:
    return name in {one.name for one in found}


def _page(
    request: HttpRequest, place: Place, name: str, status: int, problem: str = "", *, possible: bool = True
) -> HttpResponse:
    """The deed's form; without it where it is not `possible`."""
    message = place.message
    now = AND.join([message.audience] if isinstance(message.audience, str) else message.audience)
    shown = {
        "session": place.session,
        "message": message,
        "name": name,
        "problem": problem,
        "given": request.POST,
        "mine": message.is_by(place.viewer.handle),
        "ahead": _AHEAD[name](message) if name in _AHEAD else [],
        "echo": _echo(place, name),
        "take_back": request.method != "POST" or bool(request.POST.get("answers")),
        "again": ahead.before_again(message, place.here) if name == "again" else None,
        "widenings": ahead.widenings(place.here, choices(place.here), now, message) if name == "hearers" else [],
        "possible": possible and not message.deleted_at,
    }
    template = f"web/parts/_deed_{name}.html" if "part" in request.GET else "web/deed.html"
    return render(request, template, shown, status=status)


def _echo(place: Place, name: str) -> ahead.Echo | None:
    """The answers that may repeat what the message said, before it is taken back."""
    if name not in _TAKES_BACK:
        return None
    found = answers.to(read.row(place.viewer, place.message.id), heard=name == "hearers")
    reaches = place.here.reaches and _TAKES_BACK[name] in place.here.may
    return ahead.echo(found, name, may=reaches or found.all_asked_by(place.viewer))
