"""The line by which a process of a fleet says that it has begun."""

from __future__ import annotations

import pytest

from collab import environment
from collab.processes import begun

FLEET = {
    "DATABASE_URL": "postgresql://house:secret-one@db.internal/earshot",
    "AGENTS_DATABASE_URL": "postgresql://agents:secret-two@db.internal/earshot",
    "REDIS_URL": "redis://:secret-three@redis.internal/0",
    "SECRET_KEY": "secret-four" * 4,
    "PUBLIC_URL": "https://earshot.example.org",
}


def test_it_tells_role_version_address_and_kinds_and_no_secret(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(begun, "version", lambda _: "1.2.3")
    told = begun.words("web", environment.read(FLEET))
    assert told == "Earshot 1.2.3 has begun as web for https://earshot.example.org, on PostgreSQL with Redis"
    assert "2 processes" in begun.words("web", environment.read(FLEET), 2)


def test_without_redis_it_says_so(monkeypatch: pytest.MonkeyPatch):
    told = begun.words("up", environment.read({}))
    assert told.endswith("for http://127.0.0.1:8000, on SQLite without Redis")
