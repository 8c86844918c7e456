"""Looking without touching: every change goes through an action, so admin offers none."""

from __future__ import annotations

from typing import Any

from django.db.models import Model
from django.http import HttpRequest
from unfold.admin import ModelAdmin


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

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False
