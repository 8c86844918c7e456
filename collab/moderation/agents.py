"""Agents in the back office: added, changed, tried, taken out of use; what each did and used up."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse

from collab.api import refuse
from collab.moderation import deeds
from collab.moderation.agent_form import AgentForm
from collab.moderation.agent_life import life
from collab.moderation.readonly import ReadOnly
from messaging.actions import house_rights
from messaging.actions.ask_privately import ask_privately
from messaging.actions.change_agent import change_agent
from messaging.actions.close_agent import close_agent, open_agent
from messaging.actions.draft import Refusal
from messaging.actions.enrol import Taken, add_agent
from messaging.roster.access import Forbidden, Hidden, Viewer, viewer_of_account
from messaging.roster.models import Account, Agent, Installation, Person

#: What an agent is asked to see whether it answers.
QUESTION = "Are you there?"


@admin.register(Agent)
class AgentAdmin(ReadOnly):
    """Agents. Whoever may see them here may change them: the verbs ask whether they are staff."""

    list_display = ("handle", "name", "kind", "provider", "owner", "enabled", "seen_at")
    list_filter = ("kind", "provider", "enabled")
    actions = ("close", "open")
    list_before_template = "moderation/agents_top.html"
    change_form_outer_after_template = "moderation/agent_life.html"

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may look."""
        return bool(self.has_view_permission(request))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may look."""
        return bool(self.has_view_permission(request))

    @admin.action(description="Take out of use: its turn stops, what waits before it is rejected")
    def close(self, request: HttpRequest, rows: QuerySet[Agent]) -> None:
        """Takes the chosen agents out of use."""
        deeds.each(request, close_agent, _handles(rows), "taken out of use")

    @admin.action(description="Take back into use")
    def open(self, request: HttpRequest, rows: QuerySet[Agent]) -> None:
        """Takes the chosen agents back into use."""
        deeds.each(request, open_agent, _handles(rows), "taken back into use")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list, with the one switch for all of them."""
        more = {"paused": Installation.paused_since(), "begin": reverse("begin"), **(extra_context or {})}
        answer: HttpResponse = super().changelist_view(request, more)
        return answer

    def get_urls(self) -> list[URLPattern]:
        """With the deeds that are offered on the page of one."""
        own = [
            path(f"<path:object_id>/{name}/", self.admin_site.admin_view(partial(self._deed, name=name)), name=route)
            for name, route in (("try", "agent-try"), ("close", "agent-close"), ("open", "agent-open"))
        ]
        return [*own, *super().get_urls()]

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The form of a new agent, or of one that is there; what it takes goes through the verb."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        agent = self.get_object(request, unquote(object_id)) if object_id else None
        if object_id and agent is None:
            return cast("HttpResponse", self._get_obj_does_not_exist_redirect(request, self.opts, object_id))
        form = AgentForm(request.POST or None, agent=agent, owner=_person(request))
        if agent is None:
            # As every form of the admin takes what it begins with; what is none of its fields says nothing.
            form.initial.update({name: value for name, value in request.GET.items() if name in form.fields})
        if request.method == "POST" and form.is_valid() and (kept := _keep(request, form, agent)) is not None:
            messages.success(request, f"{kept.name} was {'changed' if agent else 'added'}.")
            return redirect("admin:roster_agent_change", kept.pk)
        return self._form(request, form, agent)

    def _form(self, request: HttpRequest, form: AgentForm, agent: Agent | None) -> HttpResponse:
        # The stubs know forms of models alone; the pages take any.
        plain = cast("Any", form)
        fields = helpers.AdminForm(plain, cast("Any", form.fieldsets), {}, (), model_admin=self)
        context = self.admin_site.each_context(request) | {
            "title": f"Change {agent.name}" if agent else "Add an agent",
            "adminform": fields,
            "original": agent,
            "media": self.media + fields.media,
            "inline_admin_formsets": [],
            "errors": helpers.AdminErrorList(plain, []),
            "is_popup": False,
            "show_save_and_continue": False,
            "show_save_and_add_another": False,
            "life": life(agent) if agent else None,
        }
        answer: HttpResponse = self.render_change_form(request, context, add=not agent, change=bool(agent), obj=agent)
        return answer

    def _deed(self, request: HttpRequest, object_id: str, name: str) -> HttpResponse:
        """One of the deeds, by POST alone."""
        agent = self.get_object(request, unquote(object_id)) if self.has_view_permission(request) else None
        if agent is None or request.method != "POST":
            raise PermissionDenied
        if name == "try":
            return _try(request, agent)
        verb, words = (close_agent, "taken out of use") if name == "close" else (open_agent, "taken back into use")
        deeds.each(request, verb, [agent.handle.spelled], words)
        return redirect("admin:roster_agent_change", agent.pk)


def _handles(rows: QuerySet[Any]) -> list[str]:
    return list(rows.order_by("handle__spelled").values_list("handle__spelled", flat=True))


def _person(request: HttpRequest) -> Person | None:
    return Person.objects.filter(account=cast("Account", request.user)).first()


def _viewer(request: HttpRequest) -> Viewer | None:
    """Who is signed in; None, and that is said, for a login of nobody."""
    try:
        return viewer_of_account(cast("Account", request.user))
    except Hidden:
        messages.error(request, "This login belongs to no person here, so nothing was done.")
        return None


def _keep(request: HttpRequest, form: AgentForm, agent: Agent | None) -> Agent | None:
    """The agent as it is now; None where the form says why not."""
    who = _viewer(request)
    if who is None:
        return None
    try:
        return change_agent(who, agent.handle.spelled, **form.wanted) if agent else _add(who, form)
    except ValidationError as error:
        form.refuse(error)
    except Taken as error:
        form.add_error("handle", f"{error}.")
    except Forbidden as error:
        refuse.noted(who, error)
        raise PermissionDenied(error.detail) from error
    return None


def _add(who: Viewer, form: AgentForm) -> Agent:
    house_rights.demand(who)
    given = form.cleaned_data
    return add_agent(given["handle"], kind=given["kind"], by=who, **form.wanted)


def _try(request: HttpRequest, agent: Agent) -> HttpResponse:
    """Asks it where nobody else hears: what comes, how long it took and why not stand there as for any question."""
    who = _viewer(request)
    if who is not None:
        try:
            return redirect("web:session", ask_privately(who, agent.handle.spelled, QUESTION).slug)
        except Refusal as refusal:
            messages.error(request, refusal.detail)
    return redirect(reverse("admin:roster_agent_change", args=[agent.pk]))
