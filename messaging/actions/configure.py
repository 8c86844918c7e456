"""Changes what a session is called, whom it asks, and what its roles may do there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from messaging.actions import audit, seating
from messaging.actions.open_session import check_namespace, check_sources, check_title
from messaging.actions.reject import reject_lost
from messaging.domain.audit import Verb
from messaging.domain.capability import OVERRIDABLE, Capability, Role
from messaging.domain.title import By
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.mailbox.models import Seat
from messaging.roster import access
from messaging.roster.access import Forbidden, Viewer
from messaging.roster.models import Agent, Membership, Session, SessionChange

#: Changes that may take a right away.
_OF_RIGHTS = {"roles", "guests_public"}


@transaction.atomic
def configure(who: Viewer, session: Session, **changes: Any) -> Session:
    """Applies the changes named; what is said as it stands is none.

    `title`; `active_agent` (a seated agent's handle, or None); `default_audience`, `answers` (a word of the session's);
    `guests_public` (a truth); `roles` (lists of capabilities by role, None for the role's default again; None for all
    of them), for owners alone; `namespace`; `sources` (names of those that its agents may use here, None for all that
    they have). Whoever loses a right has what waits, undelivered, rejected; whether agents may be asked under another
    namespace, or with other sources, is looked at when what waits is cleared.
    Raises Forbidden, Hidden, or ValidationError by the field.
    """
    held = clocks.lock([session.id])[session.id]
    access.demand(who, session, Capability.MANAGE_MEMBERS)
    if "roles" in changes and access.role(who, session) is not Role.OWNER:
        words = "Only an owner can change what roles may do."
        raise Forbidden("no_capability", words, Capability.MANAGE_MEMBERS, session.id)
    # What was read before the lock may be stale by now.
    session = Session.objects.select_related("active_agent__handle").get(id=session.id)
    wanted = {name: _FIELDS[name](session, value) for name, value in changes.items()}
    changed = {name: getattr(session, name) for name, value in wanted.items() if getattr(session, name) != value}
    if changed:
        for name in changed:
            setattr(session, name, wanted[name])
        if "title" in changed:
            session.title_by = By.PERSON
            Seat.objects.filter(session=session.id).update(titles=False)
        session.save(update_fields=[*changed, "title_by"])
        if "sources" in changed:
            seating.of_session(session)
        _record(who, session, changed, held)
    return session


def _record(who: Viewer, session: Session, before: Mapping[str, Any], held: Held) -> None:
    """Rejects what may not be said any more, then tells of the change: to the session, and to the audit log."""
    if _OF_RIGHTS & before.keys():
        reject_lost(held)
    change = SessionChange.objects.create(session=session)
    clocks.append(held, [(Kind.SESSION, change.id)])
    told = {name: [_told(name, value), _told(name, getattr(session, name))] for name, value in before.items()}
    audit.note(Verb.SESSION, who, session.id, change.id, change="settings", **told)


def _told(name: str, value: Any) -> Any:
    """A setting as the audit log has it. A title is people's words: that it was changed is enough."""
    if name == "title":
        return ""
    return value.handle.spelled if isinstance(value, Agent) else value


def _title(_session: Session, value: Any) -> str:
    return check_title(value)


def _seated(session: Session, handle: Any) -> Agent | None:
    if handle is None:
        return None
    rows = Membership.objects.filter(session=session, left_at=None, agent__handle__spelled=handle)
    row = rows.select_related("agent__handle").first()
    if row is None or row.agent is None:
        raise ValidationError({"active_agent": "has no seat in this session; bring it in first"})
    if not row.agent.enabled:
        raise ValidationError({"active_agent": "is out of use here"})
    return row.agent


def _one_of(name: str, words: list[str]) -> Callable[[Session, Any], str]:
    def chosen(_session: Session, value: Any) -> str:
        if value not in words:
            raise ValidationError({name: f"is not one of {', '.join(words)}"})
        return str(value)

    return chosen


def _truth(_session: Session, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValidationError({"guests_public": "is true or false"})
    return value


def _namespace(_session: Session, value: Any) -> str:
    return check_namespace(value)


def _sources(_session: Session, value: Any) -> list[str] | None:
    return check_sources(value)


def _roles(session: Session, value: Any) -> dict[str, list[str]] | None:
    """The session's lists with those that are named changed; None where none is left."""
    if value is None:
        return None
    lists = dict(session.roles or {})
    for role, words in value.items():
        if role not in OVERRIDABLE:
            raise ValidationError({"roles": f"takes {', '.join(OVERRIDABLE)}"})
        lists.pop(role, None)
        if words is not None:
            lists[str(role)] = _capabilities(role, words)
    return lists or None


def _capabilities(role: str, words: Any) -> list[str]:
    if any(word not in list(Capability) for word in words):
        raise ValidationError({f"roles.{role}": f"takes {', '.join(Capability)}"})
    return [str(capability) for capability in Capability if capability in words]


#: What each field that may be changed makes of what was given. Raises ValidationError.
_FIELDS: Mapping[str, Callable[[Session, Any], Any]] = {
    "title": _title,
    "active_agent": _seated,
    "default_audience": _one_of("default_audience", Session.Default.values),
    "answers": _one_of("answers", Session.Answers.values),
    "guests_public": _truth,
    "roles": _roles,
    "namespace": _namespace,
    "sources": _sources,
}
