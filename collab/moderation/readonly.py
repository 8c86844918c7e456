"""Looking without touching: every change goes through an action, so admin offers none."""

from __future__ import annotations

from typing import Any

from django.db.models import Model
from django.http import HttpRequest
from unfold.admin import ModelAdmin

ENDINGS = ("", "__exact", "__id__exact", "__isnull")


class ReadOnly(ModelAdmin):  # type: ignore[misc]
    """A model to look at. `hidden` names fields that are nobody's business here: hashes, passwords, direct words."""

    hidden: tuple[str, ...] = ()
    show_full_result_count = False
    list_per_page = 50
    actions = None

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """All fields but the hidden ones, and what stands in their place."""
        own = [field.name for field in self.model._meta.fields if field.name not in self.hidden]
        return [*own, *self.instead]

    instead: tuple[str, ...] = ()

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Everything."""
        return self.get_fields(request, obj)

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Lists answer to their own filters alone: any other question could count its way to what is hidden."""
        own = [name for name in self.list_filter if lookup.startswith(str(name))]
        return any(lookup.removeprefix(str(name)) in ENDINGS for name in own)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False
