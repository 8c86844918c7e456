"""Managing a session: members, roles, invitations, and what roles may do there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from collab.api import refuse
from collab.web.forms import Invite, Member
from collab.web.presenters import managing
from collab.web.views.door import for_people
from messaging.actions import invite as inviting
from messaging.actions import revoke_invitation as revoking
from messaging.actions.configure import configure
from messaging.actions.draft import Refusal
from messaging.actions.manage_members import add_member, change_role, remove_member
from messaging.domain.capability import Capability, Role
from messaging.roster import access, invitations
from messaging.roster.access import Viewer
from messaging.roster.models import Session


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_people
def manage(request: HttpRequest, viewer: Viewer, slug: str) -> HttpResponse:
    """The page; posted, one change that `do` names. A new invitation's link is shown in that answer alone."""
    session = access.session(viewer, slug)
    access.demand(viewer, session, Capability.MANAGE_MEMBERS)
    if request.method != "POST":
        return _page(request, viewer, session)
    change = _CHANGES.get(request.POST.get("do", ""))
    if change is None:
        raise Http404
    try:
        link = change(viewer, session, request.POST)
    except ValidationError as error:
        return _page(request, viewer, session, 422, problem=capfirst(" ".join(_told(error))))
    except Refusal as refusal:
        refuse.noted(viewer, refusal, session.id)
        return _page(request, viewer, session, refusal.status, problem=capfirst(refusal.detail))
    if link:
        return _page(request, viewer, session, link=link)
    return redirect("web:manage", session.slug)


def _told(error: ValidationError) -> list[str]:
    fields = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
    return [f"{field} {words}".strip() for field, said in fields.items() for words in said]


def _add(who: Viewer, session: Session, given: QueryDict) -> str:
    form = _valid(Member(given))
    add_member(who, session, form["handle"], form["role"] or Role.MEMBER)
    return ""


def _role(who: Viewer, session: Session, given: QueryDict) -> str:
    form = _valid(Member(given))
    change_role(who, session, form["handle"], form["role"])
    return ""


def _remove(who: Viewer, session: Session, given: QueryDict) -> str:
    remove_member(who, session, _valid(Member(given))["handle"])
    return ""


def _invite(who: Viewer, session: Session, given: QueryDict) -> str:
    form = _valid(Invite(given))
    made = inviting.invite(who, session, form["role"], most=form["most"], hours=form["hours"])
    return str(settings.ENVIRONMENT.address + reverse("web:join", args=[made.code]))


def _revoke(who: Viewer, session: Session, given: QueryDict) -> str:  # noqa: ARG001 -- all have one shape
    revoking.revoke(who, given.get("invitation", ""))
    return ""


def _rights(who: Viewer, session: Session, given: QueryDict) -> str:
    """The lists of those roles alone that were changed: the others keep the defaults, whatever these become."""
    lists = {str(role): given.getlist(str(role)) for role in managing.LISTED}
    changed = {role: words for role, words in lists.items() if set(words) != set(map(str, session.granted(Role(role))))}
    if changed:
        configure(who, session, roles=changed)
    return ""


def _defaults(who: Viewer, session: Session, given: QueryDict) -> str:  # noqa: ARG001 -- all have one shape
    configure(who, session, roles=None)
    return ""


_CHANGES: Mapping[str, Callable[[Viewer, Session, QueryDict], str]] = {
    "add": _add,
    "role": _role,
    "remove": _remove,
    "invite": _invite,
    "revoke": _revoke,
    "rights": _rights,
    "defaults": _defaults,
}


def _valid(form: Member | Invite) -> dict[str, Any]:
    if not form.is_valid():
        raise ValidationError("Something is missing, or is no number that is taken here.")
    return form.cleaned_data


def _page(request: HttpRequest, viewer: Viewer, session: Session, status: int = 200, **more: object) -> HttpResponse:
    own = access.role(viewer, session)
    shown = {
        "session": session,
        "me": viewer,
        "seated": managing.seated(access.members(viewer, session), own),
        "assignable": managing.assignable(own),
        "invitable": managing.invitable(own),
        "invitations": [one for one in invitations.of_session(viewer, session) if one.revoked_at is None],
        "rights": managing.rights(session) if own is Role.OWNER else [],
        "listed": managing.LISTED,
        **more,
    }
    return render(request, "web/manage.html", shown, status=status)
