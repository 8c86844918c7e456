"""Managing a session: what it is set to, members, roles, invitations, what roles may do there, and its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from collab.api import refuse
from collab.web.forms import Invite, Member, Settings
from collab.web.presenters import managing
from collab.web.views.door import for_people
from messaging.actions import invite as inviting
from messaging.actions import revoke_invitation as revoking
from messaging.actions.close_session import close_session
from messaging.actions.configure import configure
from messaging.actions.draft import Refusal
from messaging.actions.manage_members import add_member, change_role, remove_member
from messaging.domain.capability import OVERRIDABLE, Capability, Role
from messaging.domain.text import MAX_TITLE
from messaging.domain.wording import listed
from messaging.roster import access, invitations
from messaging.roster.access import Viewer
from messaging.roster.models import Session


@dataclass(frozen=True, slots=True)
class Done:
    """What a change came to, said once; of a new invitation its link."""

    words: str = ""
    link: str = ""


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
        done = change(viewer, session, request.POST)
    except ValidationError as error:
        return _page(request, viewer, session, 422, problem=capfirst(" ".join(_told(error))))
    except Refusal as refusal:
        refuse.noted(viewer, refusal, session.id)
        return _page(request, viewer, session, refusal.status, problem=capfirst(refusal.detail))
    if done.link:
        return _page(request, viewer, session, link=done.link)
    messages.success(request, done.words)
    return _onward(viewer, session)


def _onward(viewer: Viewer, session: Session) -> HttpResponse:
    """Back to the page, or to what is left to whoever has just given away the right to it."""
    try:
        may = access.rights(viewer, session).capabilities
    except access.Hidden:
        return redirect("web:sessions")
    return redirect("web:manage" if Capability.MANAGE_MEMBERS in may else "web:session", session.slug)


def _told(error: ValidationError) -> list[str]:
    fields = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
    return [f"{field} {words}".strip() for field, said in fields.items() for words in said]


def _add(who: Viewer, session: Session, given: QueryDict) -> Done:
    form = _valid(Member(given))
    view = add_member(who, session, form["handle"], form["role"] or Role.MEMBER)
    return Done(f"{view.name} is here, as {view.role}.")


def _role(who: Viewer, session: Session, given: QueryDict) -> Done:
    form = _valid(Member(given))
    view = change_role(who, session, form["handle"], form["role"])
    return Done(f"{view.name} is {view.role} now.")


def _remove(who: Viewer, session: Session, given: QueryDict) -> Done:
    handle = _valid(Member(given))["handle"]
    remove_member(who, session, handle)
    return Done(f"@{handle} is here no more.")


def _invite(who: Viewer, session: Session, given: QueryDict) -> Done:
    form = _valid(Invite(given))
    made = inviting.invite(who, session, form["role"], most=form["most"], hours=form["hours"])
    return Done(link=str(settings.ENVIRONMENT.address + reverse("web:join", args=[made.code])))


def _revoke(who: Viewer, session: Session, given: QueryDict) -> Done:  # noqa: ARG001 -- all have one shape
    revoking.revoke(who, given.get("invitation", ""))
    return Done("The invitation is taken back: its link opens nothing any more.")


def _set(who: Viewer, session: Session, given: QueryDict) -> Done:
    form = _valid(Settings(given))
    form |= {"active_agent": form["active_agent"] or None}
    # The page offers these two where there is something to choose.
    if "namespace" not in given:
        form.pop("namespace")
    if "choose_sources" in given:
        form["sources"] = managing.chosen(session, given.getlist("sources"))
    after = configure(who, session, **form)
    return Done(managing.changed(session, after))


def _rights(who: Viewer, session: Session, given: QueryDict) -> Done:
    changed = managing.lists(session, {role: given.getlist(str(role)) for role in OVERRIDABLE})
    configure(who, session, roles=changed)
    return Done(f"Saved: what each {listed(list(changed))} may do." if changed else "Nothing was changed.")


def _defaults(who: Viewer, session: Session, given: QueryDict) -> Done:
    """One role's, or those of all."""
    role = given.get("role", "")
    configure(who, session, roles={role: None} if role else None)
    return Done(f"Back to the defaults: what each {role or 'role'} may do.")


def _close(who: Viewer, session: Session, given: QueryDict) -> Done:  # noqa: ARG001 -- all have one shape
    close_session(who, session)
    return Done(f"{session.title} is closed.")


_CHANGES: Mapping[str, Callable[[Viewer, Session, QueryDict], Done]] = {
    "add": _add,
    "role": _role,
    "remove": _remove,
    "invite": _invite,
    "revoke": _revoke,
    "set": _set,
    "rights": _rights,
    "defaults": _defaults,
    "close": _close,
}


def _valid(form: forms.Form) -> dict[str, Any]:
    if not form.is_valid():
        raise ValidationError("Something is missing, or is no number that is taken here.")
    return form.cleaned_data


def _page(request: HttpRequest, viewer: Viewer, session: Session, status: int = 200, **more: object) -> HttpResponse:
    session = access.session(viewer, session.id)
    own, members = access.role(viewer, session), access.members(viewer, session)
    owns = own is Role.OWNER
    shown = {
        "session": session,
        "me": viewer,
        "settings": [*managing.settings(session, members), *managing.namespaces(session)],
        "sources": managing.sources(session),
        "longest_title": MAX_TITLE,
        "seated": managing.seated(members, own),
        "assignable": managing.assignable(own),
        "invitable": managing.invitable(own),
        "invitations": [one for one in invitations.of_session(viewer, session) if one.revoked_at is None],
        "bounds": invitations,
        "owns": owns,
        "rights": managing.rights(session) if owns else [],
        "own_lists": managing.own_lists(session),
        "listed": OVERRIDABLE,
        **more,
    }
    return render(request, "web/manage.html", shown, status=status)
