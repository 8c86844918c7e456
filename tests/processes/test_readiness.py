from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError, connection

from collab.processes import readiness

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    readiness.forget()
    yield
    readiness.forget()


def test_a_migrated_database_and_no_other_part_is_ready():
    assert readiness.report() == {"database": True}


def test_a_part_that_is_down_is_named():
    readiness.watch("worker", lambda: True)
    readiness.watch("agents", lambda: False)
    assert readiness.report() == {"database": True, "agents": False, "worker": True}


def test_a_part_that_cannot_be_asked_is_down():
    def broken() -> bool:
        raise OSError

    readiness.watch("redis", broken)
    assert readiness.report()["redis"] is False


def test_a_database_that_does_not_answer_is_down(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: Any) -> None:
        raise OperationalError

    monkeypatch.setattr(connection, "cursor", refuse)
    assert readiness.report() == {"database": False}


def test_a_missing_migration_is_not_ready(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(readiness, "_migrated", False)
    monkeypatch.setattr(readiness, "pending", lambda: True)
    assert readiness.report() == {"database": False}
