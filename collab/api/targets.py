"""Whom a message may be for."""

from __future__ import annotations

from dataclasses import asdict

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from collab.api.auth import caller
from collab.api.gives import ErrorOut
from messaging.actions import targets as targeting
from messaging.roster import access

router = Router(tags=["messages"])


class PersonTargetOut(Schema):
    """A person who may be written to alone."""

    id: str = Field(description="the handle")
    name: str


class AgentTargetOut(PersonTargetOut):
    """An agent that may be called."""

    agent_kind: str
    active: bool = Field(description="whether it may be asked as the session's active agent")
    modes: list[str] = Field(description="the words of `dispatch` that may stand beside `agent:<handle>`")


class TargetsOut(Schema):
    """Whom a message may be for, as policy permits it now."""

    audiences: list[str] = Field(description="permitted audiences that name nobody")
    people: list[PersonTargetOut]
    agents: list[AgentTargetOut]


@router.get("/sessions/{session}/targets", response={200: TargetsOut, 401: ErrorOut, 404: ErrorOut})
def targets(request: HttpRequest, session: str) -> TargetsOut:
    """The people, agents and modes of dispatch that the caller may name here, and nobody else."""
    who = caller(request)
    return TargetsOut(**asdict(targeting.targets(who, access.session(who, session))))
