"""The one line by which a process of a fleet says that it has begun, and as what."""

from __future__ import annotations

import logging
from importlib.metadata import version

from collab import addresses
from collab.environment import Environment

log = logging.getLogger(__name__)
KINDS = {addresses.SQLITE: "SQLite", addresses.POSTGRESQL: "PostgreSQL"}


def tell(role: str, found: Environment, processes: int = 1) -> None:
    """Log it; of the addresses only what is no secret."""
    log.info("%s", words(role, found, processes))


def words(role: str, found: Environment, processes: int = 1) -> str:
    """Role, version, where people reach the installation, kind of database, Redis or not."""
    many = f", {processes} processes" if processes > 1 else ""
    redis = "without Redis" if found.embedded else "with Redis"
    where = f"on {KINDS[found.database['ENGINE']]} {redis}"
    return f"Earshot {version('earshot')} has begun as {role}{many} for {found.address}, {where}"
