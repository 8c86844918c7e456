"""Who takes part: people with tokens, sessions, and in each an agent whose model is the local server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from tests.services.earshot import Installation


@dataclass(frozen=True)
class Person:
    """Somebody with a bearer token."""

    handle: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@dataclass(frozen=True)
class Cast:
    """Who takes part in one run, under its `name`. `owner` owns the sessions, which are named by their ids."""

    name: str
    owner: Person
    people: list[Person]
    sessions: list[str]

    @property
    def everybody(self) -> list[Person]:
        return [self.owner, *self.people]


def people(installation: Installation, number: int) -> tuple[Person, list[Person]]:
    """The demo's owner and as many others, made by the operator's commands."""
    handles = [f"p{n:02}" for n in range(number)]
    installation.manage("add_person", *handles)
    alex, *others = installation.manage("issue_token", "alex", *handles).split()
    return Person("alex", alex), [Person(*pair) for pair in zip(handles, others, strict=True)]


def meet(name: str, owner: Person, others: list[Person], address: str, model_url: str, sessions: int) -> Cast:
    """Brings everybody together in new sessions, each with an agent of its own."""
    handles = [one.handle for one in others]
    with httpx.Client(base_url=f"{address}/api/v1", headers=owner.headers, timeout=30) as http:
        rooms = [_session(http, f"{name}-{n}", model_url, handles) for n in range(sessions)]
    return Cast(name, owner, others, rooms)


def _session(http: httpx.Client, slug: str, model_url: str, handles: Sequence[str]) -> str:
    settings = {"model": "test", "base_url": model_url}
    agent = {"handle": f"agent-{slug}", "kind": "hosted", "provider": "openai", "settings": settings}
    made(http.post("/agents", json=agent))
    opened = made(http.post("/sessions", json={"title": slug, "slug": slug, "active_agent": agent["handle"]}))
    for handle in handles:
        made(http.post(f"/sessions/{slug}/members", json={"handle": handle}))
    return str(opened["id"])


def made(answer: httpx.Response) -> dict[str, Any]:
    """What was made."""
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found
