"""The audit log, to read."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst

from collab.moderation.readonly import ReadOnly
from collab.moderation.told import told
from messaging.domain.audit import Verb
from messaging.domain.wording import DEEDS, done
from messaging.roster.models import Session
from messaging.transcript.models import AuditEntry


class InSession(admin.SimpleListFilter):
    """Entries of one session, closed ones too."""

    title = "session"
    parameter_name = "session"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """All sessions, by slug."""
        return [(str(key), slug) for key, slug in Session.objects.order_by("slug").values_list("id", "slug")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        """Those of the chosen one."""
        known = {key for key, _ in self.lookup_choices}
        return queryset.filter(session=self.value()) if self.value() in known else queryset


class Deed(admin.SimpleListFilter):
    """Entries of one deed, in words."""

    title = "deed"
    parameter_name = "verb"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """All there are."""
        return [(str(verb), capfirst(DEEDS[verb])) for verb in Verb]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        """Those of the chosen one."""
        return queryset.filter(verb=self.value()) if self.value() in list(Verb) else queryset


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly):
    """The audit log, newest first. It holds no message's text."""

    list_display = ("when", "actor", "did", "where", "about", "told")
    list_filter = (Deed, InSession, ("actor", admin.AllValuesFieldListFilter), ("at", admin.DateFieldListFilter))
    endings = (*ReadOnly.endings, "__gte", "__lt")
    ordering = ("-at", "-id")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """The same as in the list, one below the other."""
        return list(self.list_display)

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        """With the slugs of sessions, which entries know by id alone."""
        rows: QuerySet[AuditEntry] = super().get_queryset(request)
        return rows.annotate(slug=Subquery(Session.objects.filter(id=OuterRef("session")).values("slug")[:1]))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list, by its own name."""
        answer: HttpResponse = super().changelist_view(request, {"title": "Audit log", **(extra_context or {})})
        return answer

    @admin.display(description="time (UTC)", ordering="at")
    def when(self, entry: AuditEntry) -> str:
        """To the second."""
        return f"{entry.at:%Y-%m-%d %H:%M:%S}"

    @admin.display(description="deed", ordering="verb")
    def did(self, entry: AuditEntry) -> str:
        """What was done, or tried."""
        return done(entry.verb, entry.detail.get("change", ""))

    @admin.display(description="session")
    def where(self, entry: AuditEntry) -> str:
        """The session's slug."""
        return getattr(entry, "slug", None) or "-"

    @admin.display(description="more")
    def told(self, entry: AuditEntry) -> str:
        """What else was kept of it."""
        return told(entry.detail) or "-"
