"""Who am I, and who is here."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Router, Status

from collab.api.auth import caller, owner_or_staff, person
from collab.api.gives import AgentOut, ErrorOut, WhoOut
from collab.api.refuse import invalid, taken
from collab.api.takes import AgentIn, AgentPatch, PersonIn
from messaging.actions.change_agent import change_agent
from messaging.actions.draft import Refusal
from messaging.actions.enrol import Taken, add_agent, add_person
from messaging.roster import lookup
from messaging.roster.models import Agent, Person

router = Router(tags=["who is here"])


@router.get("/me", response={200: WhoOut, 401: ErrorOut})
def me(request: HttpRequest) -> WhoOut:
    """The caller; `id` is the handle."""
    who = caller(request)
    return WhoOut(id=who.handle, kind=who.kind, name=who.name)


@router.get("/people", response={200: list[WhoOut], 401: ErrorOut, 403: ErrorOut, 404: ErrorOut})
def people(request: HttpRequest) -> list[WhoOut]:
    """All people of the installation, for its owner and staff."""
    owner_or_staff(request)
    return [WhoOut(id=row.handle.spelled, kind="human", name=row.name) for row in lookup.everybody()]


@router.post(
    "/people", response={201: WhoOut, 401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut}
)
def create_person(request: HttpRequest, body: PersonIn) -> Status[WhoOut]:
    """Adds a person, for the installation's owner and staff."""
    owner_or_staff(request)
    try:
        row = add_person(body.handle, name=body.name, email=body.email)
    except Taken as error:
        raise taken("handle", error) from error
    except ValidationError as error:
        raise invalid(error) from error
    return Status(201, WhoOut(id=row.handle.spelled, kind="human", name=row.name))


@router.get("/agents", response={200: list[AgentOut], 401: ErrorOut, 404: ErrorOut})
def agents(request: HttpRequest) -> list[AgentOut]:
    """All agents of the installation, for people."""
    person(request)
    return [_agent(row) for row in lookup.agents()]


@router.post(
    "/agents", response={201: AgentOut, 401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut}
)
def create_agent(request: HttpRequest, body: AgentIn) -> Status[AgentOut]:
    """Adds an agent, for the installation's owner and staff."""
    who = owner_or_staff(request)
    try:
        row = add_agent(
            body.handle,
            kind=body.kind,
            name=body.name,
            provider=body.provider,
            settings=body.settings,
            owner=Person.objects.get(id=who.id),
            by=who,
            **{name: getattr(body, name) for name in _KEPT_TO},
        )
    except Taken as error:
        raise taken("handle", error) from error
    except ValidationError as error:
        raise invalid(error) from error
    return Status(201, _agent(row))


@router.patch("/agents/{handle}", response={200: AgentOut, 401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut})
def patch_agent(request: HttpRequest, handle: str, body: AgentPatch) -> AgentOut:
    """Changes an agent in all its sessions at once, for the installation's owner and staff."""
    who = owner_or_staff(request)
    changes = body.model_dump(exclude_unset=True)
    empty = next((name for name in _NEVER_EMPTY if name in changes and changes[name] is None), None)
    if empty is not None:
        raise Refusal.shape(empty, "cannot be null")
    try:
        return _agent(change_agent(who, handle, **changes))
    except ValidationError as error:
        raise invalid(error) from error


#: What an agent is kept to.
_KEPT_TO = ("modes", "namespaces", "tools", "sources", "placement", "turns_a_day", "tokens_a_day")
_NEVER_EMPTY = ("name", "provider", "settings", "placement")


def _agent(row: Agent) -> AgentOut:
    kept = {name: getattr(row, name) for name in _KEPT_TO}
    return AgentOut(
        id=row.handle.spelled, kind="agent", name=row.name, agent_kind=row.kind, provider=row.provider, **kept
    )
