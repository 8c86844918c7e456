"""The only door from a credential to what it may see and do (promise 10: unreadable looks absent)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, TypeAlias, cast
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from messaging.domain.capability import Capability, Role, reaches_others
from messaging.domain.wording import lacking, own_alone
from messaging.roster.models import Account, Agent, Membership, Person, Session

#: An agent is there until this long after it was last heard of (decisions, "Envelope and wire").
PRESENCE = timedelta(seconds=90)


class Hidden(LookupError):
    """Absent, or not for this viewer: the two are alike."""


class Forbidden(PermissionError):
    """Readable but not allowed. `code` is the machine word, `capability` what was lacking, `session` where."""

    def __init__(self, code: str, detail: str, capability: str = "", session: UUID | None = None) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.capability = capability
        self.session = session


@dataclass(frozen=True, slots=True)
class Viewer:
    """A person who looks or speaks."""

    id: UUID
    handle: str
    name: str
    kind: Literal["human"] = "human"


@dataclass(frozen=True, slots=True)
class AgentCaller:
    """An agent that speaks with its own token. It reads its seats' mailbox, nothing else."""

    id: UUID
    handle: str
    name: str
    kind: Literal["agent"] = "agent"


Caller: TypeAlias = Viewer | AgentCaller


@dataclass(frozen=True, slots=True)
class MemberView:
    """A member as people see it. `present` is None where nobody keeps track."""

    id: UUID
    handle: str
    name: str
    kind: Literal["human", "agent"]
    role: str
    agent_kind: str | None = None
    provider: str = ""
    active: bool = False
    present: bool | None = None


def viewer_of(person: Person) -> Viewer:
    """The viewer that a person is."""
    return Viewer(person.id, person.handle.spelled, person.name)


def caller_of(agent: Agent) -> AgentCaller:
    """The caller that an agent is."""
    return AgentCaller(agent.id, agent.handle.spelled, agent.name)


def viewer_of_account(account: Account) -> Viewer:
    """The person behind a login. Raises Hidden for a disabled account, or one without a person."""
    person = Person.objects.select_related("handle").filter(account=account, account__is_active=True).first()
    if person is None:
        raise Hidden
    return viewer_of(person)


def sessions(caller: Caller) -> list[Session]:
    """The sessions that the caller is in, newest first."""
    mine = _open_to(caller)
    return list(mine.select_related("active_agent__handle").order_by("-created_at", "id"))


def session(caller: Caller, name: str | UUID) -> Session:
    """A session that the caller is in, by id or slug. Raises Hidden."""
    if "\x00" in str(name):
        raise Hidden
    mine = _open_to(caller).filter(_by_name(name))
    found = mine.select_related("active_agent__handle").first()
    if found is None:
        raise Hidden
    return found


def _open_to(caller: Caller) -> QuerySet[Session]:
    """Sessions that the caller is in and that are not closed: a closed one is closed to all."""
    own = {f"memberships__{_own(caller)}": caller.id}
    return Session.objects.filter(closed_at=None, memberships__left_at=None, **own)


def _own(caller: Caller) -> str:
    return "person" if isinstance(caller, Viewer) else "agent"


def _by_name(name: str | UUID) -> Q:
    if isinstance(name, UUID):
        return Q(id=name)
    try:
        return Q(id=UUID(name)) | Q(slug=name)
    except ValueError:
        return Q(slug=name)


def role(caller: Caller, session: Session) -> Role:
    """The caller's role in a session. Raises Hidden where it has none, or where the session has been closed."""
    return Role(_mine(caller, session).role)


def _mine(caller: Caller, session: Session) -> Membership:
    """The caller's membership, with the session as it is now: what the caller was given may have changed since."""
    rows = Membership.objects.filter(session=session, left_at=None, session__closed_at=None)
    # A call may have waited while its caller's account or agent was closed.
    rows = rows.exclude(person__account__is_active=False).exclude(agent__enabled=False)
    row = rows.filter(**{_own(caller): caller.id}).select_related("session").first()
    if row is None:
        raise Hidden
    return row


def demand(caller: Caller, session: Session, capability: Capability, *, own: bool = True) -> None:
    """Raises Forbidden where the caller may not do it, Hidden where it may not even look.

    own: whether what it is done to is the caller's; for things of others it takes a role that reaches them.
    """
    mine = _mine(caller, session)
    if capability not in mine.session.granted(Role(mine.role)):
        raise Forbidden("no_capability", lacking(capability), capability, session.id)
    if not own and not reaches_others(Role(mine.role)):
        raise Forbidden("not_yours", own_alone(capability), capability, session.id)


@dataclass(frozen=True, slots=True)
class Rights:
    """What a caller is in a session, and may do there."""

    role: Role
    capabilities: frozenset[Capability]


def rights(caller: Caller, session: Session) -> Rights:
    """The caller's place in a session. Raises Hidden outside of it."""
    mine = _mine(caller, session)
    return Rights(Role(mine.role), mine.session.granted(Role(mine.role)))


def members(viewer: Viewer, session: Session) -> list[MemberView]:
    """The session's people and agents, people first. Raises Hidden for a viewer outside."""
    role(viewer, session)
    rows = Membership.objects.filter(session=session, left_at=None)
    rows = rows.select_related("person__handle", "agent__handle").order_by("joined_at", "id")
    views = [member_view(row, session) for row in rows]
    return sorted(views, key=lambda view: view.kind == "agent")


def member_view(row: Membership, session: Session) -> MemberView:
    """One membership as people see it. The database sees to it that it has a person or an agent."""
    if row.agent is not None:
        return _agent_view(row.agent, row.role, active=session.active_agent_id == row.agent.id)
    person = cast("Person", row.person)
    return MemberView(person.id, person.handle.spelled, person.name, "human", row.role)


def _agent_view(agent: Agent, role: str, *, active: bool) -> MemberView:
    return MemberView(
        agent.id, agent.handle.spelled, agent.name, "agent", role, agent.kind, agent.provider, active, is_present(agent)
    )


def is_present(agent: Agent) -> bool:
    """Whether the agent is there: hosted ones while enabled, connected ones until 90 s after their last word."""
    if agent.kind == Agent.Kind.HOSTED:
        return agent.enabled
    return agent.seen_at is not None and timezone.now() - agent.seen_at < PRESENCE


def still_in(session_id: UUID, people: Iterable[UUID]) -> set[UUID]:
    """Which of these people may still see the session: one query, whatever their number."""
    rows = Membership.objects.filter(session=session_id, session__closed_at=None, left_at=None, person__in=list(people))
    rows = rows.exclude(person__account__is_active=False)
    return set(rows.values_list("person", flat=True))
