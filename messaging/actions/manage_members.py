"""Who is in a session, and as what: for those who may manage its members."""

from __future__ import annotations

from django.db import transaction

from messaging.actions.draft import Refusal
from messaging.actions.join import join
from messaging.actions.leave import leave
from messaging.domain.capability import Capability, Role, decides_about
from messaging.journal import clock as clocks
from messaging.roster import access, lookup
from messaging.roster.access import MemberView, Viewer
from messaging.roster.models import Membership, Person, Session


@transaction.atomic
def add_member(who: Viewer, session: Session, handle: str, role: str) -> MemberView:
    """Brings a person in with a role, or seats an agent. Raises Refusal or Forbidden."""
    _enter(who, session)
    somebody = lookup.anybody(handle)
    if somebody is None:
        raise Refusal.shape("handle", "is nobody of this installation", "no_such_handle")
    wanted = Role(role) if isinstance(somebody, Person) else Role.AGENT
    if wanted is Role.AGENT and isinstance(somebody, Person):
        raise Refusal.shape("role", "agent is for agents alone")
    _guard(who, session, lookup.member(session, handle), wanted)
    return access.member_view(join(session, somebody, wanted, by=who), session)


@transaction.atomic
def change_role(who: Viewer, session: Session, handle: str, role: str) -> MemberView:
    """Gives a person another role. Raises Refusal, Hidden for nobody's handle, or Forbidden."""
    _enter(who, session)
    row = _member(session, handle)
    if row.person is None:
        raise Refusal.shape("role", "of an agent is always agent")
    _guard(who, session, row, Role(role))
    return access.member_view(join(session, row.person, Role(role), by=who), session)


@transaction.atomic
def remove_member(who: Viewer, session: Session, handle: str) -> None:
    """Ends a membership. Anybody may end their own. Raises Hidden, Forbidden, or Refusal for the last owner."""
    clocks.lock([session.id])
    if handle != who.handle:
        access.demand(who, session, Capability.MANAGE_MEMBERS)
    row = _member(session, handle)
    _guard(who, session, row, None)
    leave(row, by=who)


def _enter(who: Viewer, session: Session) -> None:
    """Rights are read under the clock's lock, so that a demotion under way cannot be outrun."""
    clocks.lock([session.id])
    access.demand(who, session, Capability.MANAGE_MEMBERS)


def _member(session: Session, handle: str) -> Membership:
    row = lookup.member(session, handle)
    if row is None:
        raise access.Hidden
    return row


def _guard(who: Viewer, session: Session, row: Membership | None, wanted: Role | None) -> None:
    """Nobody decides about a role above their own, only owners about owners, and one owner stays."""
    own = access.role(who, session)
    was = Role(row.role) if row is not None else None
    beyond = {role for role in (was, wanted) if role is not None and not decides_about(own, role)}
    if Role.OWNER in beyond:
        raise _forbidden("Only an owner can decide about owners.", session)
    if beyond:
        raise _forbidden("You cannot decide about a role above your own.", session)
    owners = Membership.objects.filter(session=session, role=Role.OWNER, left_at=None)
    if was is Role.OWNER and wanted is not Role.OWNER and owners.count() == 1:
        raise Refusal(409, "last_owner", "A session keeps at least one owner.", "role")


def _forbidden(words: str, session: Session) -> access.Forbidden:
    return access.Forbidden("no_capability", words, Capability.MANAGE_MEMBERS, session.id)
