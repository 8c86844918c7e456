"""Pages of the back office that show people's words: who reads there is written down first (promise 31)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any
from uuid import UUID

from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse

from collab.moderation.readonly import ReadOnly
from messaging.actions.look_into import look_into, look_through


class Read(ReadOnly):
    """A model whose page shows words. A log that cannot be written shows nothing: the entry comes before the page."""

    @abstractmethod
    def session_of(self, row: Any) -> UUID | None:
        """The session that a row belongs to."""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """One row."""
        row = self.get_object(request, unquote(object_id)) if self.has_view_permission(request) else None
        if row is not None:
            look_into(request.user.get_username(), self.model._meta.model_name, row.pk, self.session_of(row))
        answer: HttpResponse = super().change_view(request, object_id, form_url, extra_context)
        return answer


class ReadInList(Read):
    """A model whose list shows words, too."""

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list."""
        if self.has_view_permission(request):
            name = str(self.model._meta.verbose_name_plural)
            look_through(request.user.get_username(), name, _session(request.GET.get("session__id__exact", "")))
        answer: HttpResponse = super().changelist_view(request, extra_context)
        return answer


def _session(word: str) -> UUID | None:
    try:
        return UUID(word)
    except ValueError:
        return None
