"""Whether what waits before agents may still be said by who put it there: one rule for losing a right and for clearing.

What is read here was changed under the session's clock, so that who holds it reads what is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from messaging.domain.capability import Role, needed_by_kind
from messaging.domain.disposition import Disposition
from messaging.mailbox.models import Delivery, Transition
from messaging.roster.models import Membership, Session


@dataclass(frozen=True, slots=True)
class Place:
    """What somebody is in a session; `usable`: their account is open, or the agent enabled."""

    role: Role
    usable: bool


def places(session: UUID, rows: Iterable[Delivery]) -> dict[UUID, Place]:
    """For each row, what whoever put it there is in the session now; who is no member any more is left out.

    That is its author, but for what somebody else brought before agents by changing its audience.
    """
    put = Transition.objects.filter(delivery__in=[row.id for row in rows], step=1)
    by = dict(put.values_list("delivery", "by"))
    # People and agents share one namespace.
    members = _people(session, set(by.values())) | _agents(session, set(by.values()))
    return {row: members[handle] for row, handle in by.items() if handle in members}


def _people(session: UUID, handles: set[str]) -> dict[str, Place]:
    rows = Membership.objects.filter(session=session, left_at=None, person__handle__spelled__in=handles)
    found = rows.values_list("person__handle__spelled", "role", "person__account__is_active") if handles else ()
    return {handle: Place(Role(role), usable is not False) for handle, role, usable in found}


def _agents(session: UUID, handles: set[str]) -> dict[str, Place]:
    rows = Membership.objects.filter(session=session, left_at=None, agent__handle__spelled__in=handles)
    found = rows.values_list("agent__handle__spelled", "role", "agent__enabled") if handles else ()
    return {handle: Place(Role(role), bool(usable)) for handle, role, usable in found}


def fault(session: Session, found: Mapping[UUID, Place], row: Delivery) -> str:
    """The reason for which a row may not be handed over, or nothing."""
    place = found.get(row.id)
    if place is None:
        return "not_member"
    if not place.usable:
        return "disabled"
    wanted = needed_by_kind(row.audience, steers=row.state == Disposition.STEERING_REQUESTED)
    return "" if wanted <= session.granted(place.role) else "no_capability"
