"""The audit log, to read."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest

from collab.moderation.readonly import ReadOnly
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


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly):
    """The audit log, newest first. It holds no message's text."""

    list_display = ("at", "actor", "verb", "where", "about", "detail")
    list_filter = ("verb", InSession, ("actor", admin.AllValuesFieldListFilter), ("at", admin.DateFieldListFilter))
    endings = (*ReadOnly.endings, "__gte", "__lt")
    ordering = ("-at", "-id")

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        """With the slugs of sessions, which entries know by id alone."""
        rows: QuerySet[AuditEntry] = super().get_queryset(request)
        return rows.annotate(slug=Subquery(Session.objects.filter(id=OuterRef("session")).values("slug")[:1]))

    @admin.display(description="session")
    def where(self, entry: AuditEntry) -> str:
        """The session's slug."""
        return getattr(entry, "slug", None) or "-"
