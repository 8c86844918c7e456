"""The version before goes on serving while migrations run: after the first, each only adds what it need not know."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

OURS = {
    config.label for config in apps.get_app_configs() if config.name.startswith(("messaging", "collab", "channels"))
}
#: What says something about a column to Django alone, or how it is found.
OF_NO_COLUMN = {"choices", "help_text", "verbose_name", "validators", "blank", "db_index"}


def hindrance(operation: Operation, app: str, before: ProjectState) -> str | None:
    """Why the version before could not go on beside this; None where it can."""
    match operation:
        case migrations.CreateModel() | migrations.AddIndex() | migrations.AlterModelOptions():
            return None
        case migrations.RunPython():
            return None if operation.reverse_code is not None else "cannot be taken back"
        case migrations.AddField():
            return None if may_be_left_out(operation.field) else "the version before would leave it out"
        case migrations.AlterField():
            old = before.models[app, operation.model_name_lower].fields[operation.name]
            return None if told(old) == told(operation.field) else "changes a column that the version before uses"
        case migrations.AddConstraint(constraint=models.UniqueConstraint() as new):
            known = unique(before, app, operation.model_name_lower)
            return None if any(set(one.fields) <= set(new.fields) for one in known) else "may refuse what is written"
        case migrations.RemoveConstraint():
            own = unique(before, app, operation.model_name_lower)
            gone = next((one for one in own if one.name == operation.name), None)
            kept = [one for one in own if gone and one is not gone and set(one.fields) > set(gone.fields)]
            return None if kept else "nothing of what it promised is kept"
    return f"{type(operation).__name__} is not on the list"


def unique(state: ProjectState, app: str, model: str) -> list[models.UniqueConstraint]:
    """What may not be there twice. The version before writes as the narrower rule wants, so a wider one harms nobody."""
    constraints = state.models[app, model].options.get("constraints", [])
    return [one for one in constraints if isinstance(one, models.UniqueConstraint)]


def may_be_left_out(field: models.Field[Any, Any]) -> bool:
    return field.null or field.has_db_default()


def told(field: models.Field[Any, Any]) -> tuple[str, dict[str, object]]:
    _, path, _, options = field.deconstruct()
    return path, {name: value for name, value in options.items() if name not in OF_NO_COLUMN}


def added() -> Iterator[tuple[str, Operation, str, ProjectState]]:
    """Each operation of each migration of ours but the first of its app, with the state that it finds."""
    loader = MigrationLoader(None)
    for key in sorted(loader.disk_migrations):
        app, name = key
        if app not in OURS or name.startswith("0001_"):
            continue
        state = loader.project_state(key, at_end=False)
        for operation in loader.disk_migrations[key].operations:
            yield f"{app}.{name}", operation, app, state.clone()
            operation.state_forwards(app, state)


def test_each_migration_only_adds():
    found = [(name, type(one).__name__, hindrance(one, app, state)) for name, one, app, state in added()]
    assert [one for one in found if one[2] is not None] == []


@pytest.mark.django_db
def test_each_model_has_its_migration():
    words = StringIO()
    call_command("makemigrations", check=True, dry_run=True, stdout=words)
    assert "No changes detected" in words.getvalue()


def state_of_a_note() -> ProjectState:
    state = ProjectState()
    fields: list[tuple[str, models.Field[Any, Any]]] = [
        ("id", models.BigAutoField(primary_key=True)),
        ("text", models.CharField(max_length=9)),
    ]
    once = models.UniqueConstraint(fields=["id"], name="note_id")
    migrations.CreateModel("Note", fields, {"constraints": [once]}).state_forwards("roster", state)
    return state


@pytest.mark.parametrize(
    "operation",
    [
        migrations.AddField("note", "n", models.IntegerField()),
        migrations.AddField("note", "n", models.IntegerField(default=0)),
        migrations.AlterField("note", "text", models.CharField(max_length=5)),
        migrations.AlterField("note", "text", models.TextField()),
        migrations.RemoveField("note", "text"),
        migrations.RenameField("note", "text", "words"),
        migrations.DeleteModel("note"),
        migrations.RenameModel("note", "letter"),
        migrations.AlterModelTable("note", "letter"),
        migrations.AddConstraint("note", models.UniqueConstraint(fields=["text"], name="note_text")),
        migrations.RemoveConstraint("note", "note_id"),
        migrations.RunSQL("DROP TABLE note"),
        migrations.RunPython(lambda *_: None),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_would_stop_the_version_before_is_seen(operation: Operation):
    assert hindrance(operation, "roster", state_of_a_note())


@pytest.mark.parametrize(
    "operation",
    [
        migrations.AddField("note", "n", models.IntegerField(null=True)),
        migrations.AddField("note", "n", models.IntegerField(db_default=0)),
        migrations.AlterField("note", "text", models.CharField(max_length=9, choices=[("a", "a")], help_text="one")),
        migrations.AddIndex("note", models.Index(fields=["text"], name="note_text")),
        migrations.AddConstraint("note", models.UniqueConstraint(fields=["id", "text"], name="note_both")),
        migrations.RunPython(migrations.RunPython.noop, migrations.RunPython.noop),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_only_adds_passes(operation: Operation):
    assert hindrance(operation, "roster", state_of_a_note()) is None
