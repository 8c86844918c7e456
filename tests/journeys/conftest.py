"""The cast on the running installation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest

from tests.journeys.client import Member
from tests.services.earshot import Installation


@pytest.fixture(scope="session")
def secrets(installation: Installation) -> dict[str, str]:
    """Everybody's token, issued once."""
    tokens: dict[str, str] = installation.tokens()["tokens"]
    return tokens


@pytest.fixture
def member(installation: Installation, secrets: dict[str, str]) -> Iterator[Callable[..., Member]]:
    """Makes somebody of the cast, in the demo session or another."""
    made: list[Member] = []

    def make(handle: str, session: str = "welcome") -> Member:
        made.append(Member(installation, secrets[handle], session))
        return made[-1]

    yield make
    for one in made:
        one.http.close()


@pytest.fixture
def room(member: Callable[..., Member]) -> str:
    """A session of the test's own with alex, sam and mo in it, and mirror as its active agent."""
    slug = f"room-{uuid4().hex[:8]}"
    alex = member("alex")
    body = {"title": "A room", "slug": slug, "active_agent": "mirror"}
    assert alex.http.post("/sessions", json=body).status_code == 201
    for handle in ("sam", "mo"):
        assert alex.http.post(f"/sessions/{slug}/members", json={"handle": handle}).status_code == 201
    return slug
