"""What a source may be: checked alike for one that is registered and one that is changed. A part, no verb."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import connection

from messaging.domain.source import MAX_NAME, Transport, fault, is_name
from messaging.mailbox.models import Source


def check(source: Source) -> None:
    """Raises ValidationError by the field, a setting's as `settings.<name>`, for a source that nobody could reach."""
    if not is_name(source.name):
        words = f"takes small letters and digits, with single _ between, at most {MAX_NAME}"
        raise ValidationError({"name": words})
    if source.transport not in list(Transport):
        raise ValidationError({"transport": f"is not one of {', '.join(Transport)}"})
    found = fault(source.transport, source.settings)
    if found is not None:
        name, words = found
        raise ValidationError({f"settings.{name}"[:64]: words})
    if source.transport == Transport.FOLDER:
        _check_folder(Path(source.settings["path"]))


def _check_folder(path: Path) -> None:
    """Nothing of Earshot's is given to models: neither its data folder, nor what lies in it, nor what it lies in."""
    wanted = path.resolve()
    for own in _own():
        if own == wanted or own in wanted.parents or wanted in own.parents:
            raise ValidationError({"settings.path": "holds Earshot's own data, or lies in it"})


def _own() -> list[Path]:
    environment = getattr(settings, "ENVIRONMENT", None)
    found = [Path(environment.home)] if environment is not None else []
    if connection.vendor == "sqlite":
        found.append(Path(connection.settings_dict["NAME"]).absolute().parent)
    return [one.resolve() for one in found]


def told(before: Mapping[str, Any], source: Source) -> dict[str, list[Any]]:
    """What was changed, as the audit log has it: each value with what it was."""
    pairs = {"enabled": [before["enabled"], source.enabled]} if "enabled" in before else {}
    old, new = before.get("settings", source.settings), source.settings
    return pairs | {
        name: [old.get(name), new.get(name)]
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    }
