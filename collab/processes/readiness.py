"""Whether this process can do its work: what /readyz tells."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from django.db import connection

from collab.processes import placing
from collab.processes.patience import Patient
from collab.processes.presence import Household
from collab.processes.schema import pending
from messaging.mailbox import served

log = logging.getLogger(__name__)
#: What a message needs of other processes, wherever they run.
NEEDED = ("agents", "beat", "worker")
Well = Callable[[], bool | None]
Report = Mapping[str, bool | None]
_watched: dict[str, Well] = {}
_migrated = False
#: Why the database is not ready, as far as it is known; and whether the last report was a good one.
_why = ""
_ready = True
_telling = threading.Lock()


def watch(name: str, well: Well) -> None:
    """Have a part asked with each report. It answers None where nobody can tell."""
    _watched[name] = well


def forget() -> None:
    """Ask no part any more; for processes that stop."""
    global _ready
    _watched.clear()
    _ready = True


def watch_fleet(household: Household, heard: Callable[[], bool]) -> None:
    """Have Redis asked, and for the other roles of the fleet; `heard` tells whether pokes come in here."""
    _watched["redis"] = lambda: household.reachable() and heard()
    for role in NEEDED:
        _watched[role] = partial(household.has, role)


def report() -> Report:
    """Return what this installation needs, and whether each is there; None where that cannot be told now.

    Answers within some seconds whatever hangs, and is true of what was so ten seconds ago or later.
    """
    found = {"database": _database()} | {name: _well(part) for name, part in sorted(_watched.items())}
    _tell(found)
    return found


def placements(found: Report) -> Mapping[str, list[str]]:
    """Which placements are served, and which of those that agents have are not; empty where nobody can tell.

    They make nothing unready: the other agents answer. A database that is missing is not waited for once more.
    """
    known = served.placements()
    if known is None or not found["database"]:
        return {}
    try:
        asked = _asking_for_placements.ask()
    except Exception:  # noqa: BLE001 -- whatever it was, the report has it
        return {"placements": sorted(known - {""})}
    return {"placements": sorted(known - {""}), "unserved": sorted(asked - known - {""})}


def _tell(found: Report) -> None:
    """Log that it is not ready any more, or again: once each, however often somebody asks meanwhile."""
    global _ready
    ready = all(found.values())
    with _telling:
        changed, _ready = ready != _ready, ready
    if changed and ready:
        log.info("Ready again")
    elif changed:
        log.warning("Not ready: %s", "; ".join(_in_words(found)))


def _in_words(found: Report) -> Iterator[str]:
    missing = [f"database ({_why})" if name == "database" else name for name, there in found.items() if there is False]
    unknown = [name for name, there in found.items() if there is None]
    if missing:
        yield f"missing {', '.join(missing)}"
    if unknown:
        yield f"unknown {', '.join(unknown)}"


def _answers() -> bool:
    """Whether the database answers and has the tables of this version."""
    global _migrated
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    # Once migrated stays migrated for this process's life; looking each time would be slow.
    _migrated = _migrated or not pending()
    return _migrated


_asking = Patient(_answers)
_asking_for_placements = Patient(lambda: frozenset(placing.wanted()))


def _database() -> bool:
    global _why
    try:
        migrated, _why = _asking.ask(), "not migrated"
    except Exception as error:  # noqa: BLE001 -- whatever it was, the database does not answer
        migrated, _why = False, f"does not answer, {type(error).__name__}"
    return migrated


def _well(part: Well) -> bool | None:
    try:
        return part()
    except Exception:
        log.exception("A part of the process could not be asked")
        return False
