"""The demo session, and its people at their browsers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.core.cache import cache
from django.test import Client

from messaging.actions.demo import seed
from messaging.roster.models import Account
from tests.web.scene import Scene


@pytest.fixture
def scene(db: None) -> Scene:
    return Scene(seed())


@pytest.fixture(autouse=True)
def _no_tries_from_other_tests() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def browser_of(scene: Scene) -> Callable[..., Client]:
    """A browser in which this person of the cast is signed in."""

    def open_browser(handle: str, *, strict: bool = False) -> Client:
        client = Client(enforce_csrf_checks=strict)
        client.force_login(Account.objects.get(username=handle))
        return client

    return open_browser
