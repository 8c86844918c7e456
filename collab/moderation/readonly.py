"""Looking without touching: every change goes through an action, so admin offers none."""

from __future__ import annotations

from typing import Any

from django.db.models import Model
from django.http import HttpRequest
from unfold.admin import ModelAdmin

ENDINGS = ("", "__exact", "__id__exact", "__isnull")


class ReadOnly(ModelAdmin):  # type: ignore[misc]
    """A model to look at. `hidden` fields are nobody's business here; `instead` stands in their place."""

    hidden: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    endings: tuple[str, ...] = ENDINGS
    show_full_result_count = False
    list_per_page = 50
    actions: tuple[str, ...] | None = None

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """All fields but the hidden ones, and what stands in their place."""
        own = [field.name for field in self.model._meta.fields if field.name not in self.hidden]
        return [*own, *self.instead]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Everything."""
        return self.get_fields(request, obj)

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Lists answer to their own filters alone: any other question could count its way to what is hidden."""
        names = [_name(one) for one in self.list_filter]
        return any(lookup.removeprefix(name) in self.endings for name in names if lookup.startswith(name))

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False


def _name(listed: Any) -> str:
    """What a filter's questions begin with: a field, a field with its kind of filter, or a filter of its own."""
    return str(getattr(listed, "parameter_name", listed[0] if isinstance(listed, tuple) else listed))
