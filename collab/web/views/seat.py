"""See as an agent: its mailbox exactly as it lies, and nothing else."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collab.numbers import number_of
from collab.web import progress
from collab.web.presenters.mail import mail
from collab.web.views.door import for_people
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.transcript import read


@require_safe
@for_people
def see_as(request: HttpRequest, viewer: Viewer, slug: str, handle: str) -> HttpResponse:
    """One seat's rows."""
    session = access.session(viewer, slug)
    before = number_of(request.GET.get("before", ""))
    page = read.mailbox(viewer, session, handle, before)
    agent = next(member for member in access.members(viewer, session) if member.handle == handle)
    progress.note_seen(request.session, session)
    context = {"session": session, "agent": agent, "earlier": page.earlier, "me": viewer}
    context |= {"rows": mail(page.rows, agent.name, page.fresh_from, page.recaps, before)}
    return render(request, "web/seat.html", context)
