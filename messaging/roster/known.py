"""What this process remembers of sessions and of callers: each good while its epoch stands, and not longer.

Every change of a right, a name, a role or a token moves an epoch in its own transaction; the database itself sees to
it (`triggers`). Epochs are read under the session's locked clock, so what is remembered is what is there. Only what a
transaction has committed is kept: a number that was rolled back may come again with another meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar
from uuid import UUID

from django.db import transaction

from messaging.domain.capability import Role
from messaging.mailbox.models import Seat
from messaging.roster import credentials
from messaging.roster.access import Caller, Viewer, viewer_of
from messaging.roster.budget import Budget
from messaging.roster.models import Person, Session

K = TypeVar("K")
V = TypeVar("V")
#: The session's epoch and the installation's.
Epochs: TypeAlias = tuple[int, int]
#: When so many are kept, all are forgotten: simpler than to choose, and soon read again.
MOST = 10_000


@dataclass(slots=True)
class Standing:
    """A session at one pair of epochs, with those of its members who were asked for: role by id, person by handle.

    `seats` are its open ones by handle, None until asked for; their counters are good under their rows' locks alone.
    `shut` are the handles of those whose agents are out of use, `budgets` what the others may use up, by agent.
    """

    session: Session
    epochs: Epochs
    roles: dict[UUID, Role] = field(default_factory=dict)
    people: dict[str, tuple[UUID, str]] = field(default_factory=dict)
    seats: dict[str, Seat] | None = None
    shut: set[str] = field(default_factory=set)
    budgets: dict[UUID, Budget] = field(default_factory=dict)


_standings: dict[UUID, Standing] = {}
_callers: dict[str, tuple[int, Caller]] = {}
_people: dict[UUID, tuple[int, Viewer]] = {}


def forget() -> None:
    """Forgets everything; for tests that count queries."""
    _standings.clear()
    _callers.clear()
    _people.clear()


def is_member(session: UUID, who: UUID) -> bool:
    """Whether somebody was a member when last looked at. Good enough to lock the session's clock, for nothing else."""
    found = _standings.get(session)
    return found is not None and who in found.roles


def standings(epochs: dict[UUID, Epochs]) -> dict[UUID, Standing]:
    """The sessions as they stand at these epochs, one query for those not known. Call it under their clocks' locks."""
    found = {key: one for key in epochs if (one := _standings.get(key)) and one.epochs == epochs[key]}
    missing = [key for key in epochs if key not in found]
    if missing:
        rows = Session.objects.filter(id__in=missing).select_related("active_agent__handle")
        read = {row.id: Standing(row, epochs[row.id]) for row in rows}
        found |= read
        transaction.on_commit(lambda: _keep(_standings, read), robust=True)
    return found


def callers(tokens: Collection[str], house: int) -> dict[str, Caller]:
    """Who holds these tokens, by their hashes, at the installation's epoch `house`: one query at most."""
    return _at(_callers, tokens, house, credentials.holders)


def people(ids: Collection[UUID], house: int) -> dict[UUID, Viewer]:
    """Those of these people who may act at the installation's epoch `house`: not whose account is disabled."""
    return _at(_people, ids, house, _active)


def _active(ids: Collection[UUID]) -> dict[UUID, Viewer]:
    rows = Person.objects.filter(id__in=ids).exclude(account__is_active=False).select_related("handle")
    return {row.id: viewer_of(row) for row in rows}


def _at(
    known: dict[K, tuple[int, V]], keys: Collection[K], house: int, read: Callable[[list[K]], dict[K, V]]
) -> dict[K, V]:
    """What is known of the keys at this epoch; the rest is read, and remembered once that is committed."""
    found = {key: known[key][1] for key in keys if key in known and known[key][0] == house}
    missing = [key for key in keys if key not in found]
    if missing:
        fresh = read(missing)
        found |= fresh
        kept = {key: (house, who) for key, who in fresh.items()}
        transaction.on_commit(lambda: _keep(known, kept), robust=True)
    return found


def caller(token: str) -> Caller | None:
    """Who held a token when last looked at; whoever acts on it has it looked at again."""
    return _callers.get(token, (0, None))[1]


def _keep(kept: dict[K, V], read: Mapping[K, V]) -> None:
    if len(kept) + len(read) > MOST:
        kept.clear()
    kept.update(read)
