"""Sources of tools in the back office: registered, changed, looked at again; what was found there, and who has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path

from collab.api import refuse
from collab.moderation import deeds
from collab.moderation.readonly import ReadOnly
from collab.moderation.source_form import FIELDSETS, SourceForm
from messaging.actions.ask_source import ask_source
from messaging.actions.change_source import change_source
from messaging.actions.enrol import Taken
from messaging.actions.register_source import register_source
from messaging.domain import reason
from messaging.domain.source import LEFT_OUT, tool_name
from messaging.mailbox.models import Source
from messaging.roster.access import Forbidden, Hidden, Viewer, viewer_of_account
from messaging.roster.models import Account, Agent


@admin.register(Source)
class SourceAdmin(ReadOnly):
    """Sources. Whoever may see them here may change them: the verbs ask whether they are staff."""

    list_display = ("name", "transport", "enabled", "offers", "wrong", "listed_at")
    list_filter = ("transport", "enabled")
    ordering = ("name",)
    change_form_outer_after_template = "moderation/source_found.html"

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may look."""
        return bool(self.has_view_permission(request))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may look."""
        return bool(self.has_view_permission(request))

    @admin.display(description="tools")
    def offers(self, source: Source) -> int:
        """How many agents may be offered."""
        return sum(not one["left_out"] for one in source.tools)

    @admin.display(description="what is wrong")
    def wrong(self, source: Source) -> str:
        """Why nothing was found, in words."""
        return wrong(source) or "-"

    def get_urls(self) -> list[URLPattern]:
        """With the deed that is offered on the page of one."""
        look = path("<path:object_id>/look/", self.admin_site.admin_view(self._look), name="source-look")
        return [look, *super().get_urls()]

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The form of a new source, or of one that is there; what it takes goes through the verb."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        source = self.get_object(request, unquote(object_id)) if object_id else None
        if object_id and source is None:
            return cast("HttpResponse", self._get_obj_does_not_exist_redirect(request, self.opts, object_id))
        form = SourceForm(request.POST or None, source=source)
        if request.method == "POST" and form.is_valid() and (kept := _keep(request, form, source)) is not None:
            messages.success(request, f"{kept.name} was {'changed' if source else 'registered'}.")
            return redirect("admin:mailbox_source_change", kept.pk)
        return self._form(request, form, source)

    def _form(self, request: HttpRequest, form: SourceForm, source: Source | None) -> HttpResponse:
        # The stubs know forms of models alone; the pages take any.
        plain = cast("Any", form)
        fields = helpers.AdminForm(plain, FIELDSETS, {}, (), model_admin=self)
        context = self.admin_site.each_context(request) | {
            "title": f"Change {source.name}" if source else "Register a source",
            "adminform": fields,
            "original": source,
            "media": self.media + fields.media,
            "inline_admin_formsets": [],
            "errors": helpers.AdminErrorList(plain, []),
            "is_popup": False,
            "show_save_and_continue": False,
            "show_save_and_add_another": False,
            "found": _found(source) if source else None,
        }
        answer: HttpResponse = self.render_change_form(
            request, context, add=not source, change=bool(source), obj=source
        )
        return answer

    def _look(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Has it looked at again, by POST alone."""
        source = self.get_object(request, unquote(object_id)) if self.has_view_permission(request) else None
        if source is None or request.method != "POST":
            raise PermissionDenied
        deeds.each(request, ask_source, [source.name], "is looked at again: load this page anew in a moment")
        return redirect("admin:mailbox_source_change", source.pk)


def wrong(source: Source) -> str:
    """What went wrong at the last look; empty where nothing did."""
    if not source.fault:
        return ""
    return f"It {reason.words(source.fault) or 'could not be looked at'}."


def _found(source: Source) -> dict[str, Any]:
    """What stands below the form. All that came from the source is text, and escaped."""
    rows = [_row(source, one) for one in source.tools]
    headers = ["tool", "what it does", "what it says of itself"]
    waits = source.enabled and (source.listed_at is None or source.asked_at > source.listed_at)
    agents = Agent.objects.exclude(sources=None).select_related("handle").order_by("handle__spelled")
    return {
        "waits": waits,
        "wrong": wrong(source),
        "tools": {"headers": headers, "rows": rows},
        "agents": [one for one in agents if source.name in (one.sources or [])],
    }


def _row(source: Source, tool: Mapping[str, Any]) -> list[str]:
    if tool["left_out"]:
        kind = f"not offered: {LEFT_OUT.get(tool['left_out'], tool['left_out'])}"
    else:
        kind = "acts" if tool["acts"] else "only reads, as it says"
    return [tool_name(source.name, tool["name"]), kind, tool["description"]]


def _viewer(request: HttpRequest) -> Viewer | None:
    """Who is signed in; None, and that is said, for a login of nobody."""
    try:
        return viewer_of_account(cast("Account", request.user))
    except Hidden:
        messages.error(request, "This login belongs to no person here, so nothing was done.")
        return None


def _keep(request: HttpRequest, form: SourceForm, source: Source | None) -> Source | None:
    """The source as it is now; None where the form says why not."""
    who = _viewer(request)
    if who is None:
        return None
    try:
        if source is not None:
            return change_source(who, source.name, settings=form.settings, enabled=form.cleaned_data["enabled"])
        given = form.cleaned_data
        return register_source(who, given["name"], transport=given["transport"], settings=form.settings)
    except ValidationError as error:
        form.refuse(error)
    except Taken as error:
        form.add_error("name", f"{error}.")
    except Forbidden as error:
        refuse.noted(who, error)
        raise PermissionDenied(error.detail) from error
    return None
