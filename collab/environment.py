"""What the environment variables say, checked once. What is unsafe stops the start by its name.

So does a name of our own kind (EARSHOT_...) that is unknown; any other unknown name is somebody else's.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from collab import addresses, configuration, logs
from collab.configuration import Configuration
from messaging.domain.dispatch import PLACEMENT

LOOPBACK = ("localhost", "127.0.0.1", "::1")
# A misspelt EARSHOT_ variable must not pass in silence. EARSHOT_URL and EARSHOT_TOKEN are for programs that speak to a
# server, and may stand in the same environment; EARSHOT_AGENTS_ALONE is what the house tells its agents' child.
OWN_NAMES = frozenset(
    {"EARSHOT_HOME", "EARSHOT_CONFIG", "EARSHOT_PLACEMENT", "EARSHOT_URL", "EARSHOT_TOKEN", "EARSHOT_AGENTS_ALONE"}
)
SHORTEST_SECRET = 32
HIGHEST_PORT = 65535
PLAIN_PORTS = (80, 443)

T = TypeVar("T")


class UnsafeSetting(Exception):
    """A variable of the environment that Earshot does not start with."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name} {why}")
        self.name = name
        self.why = why


@dataclass(frozen=True, slots=True)
class Environment:
    """The settings that an operator gives, in the types that the code wants."""

    host: str
    port: int
    home: Path
    database: Mapping[str, Any]
    agents_database: Mapping[str, Any]
    agents_database_url: str
    redis_url: str | None
    agents_redis_url: str | None
    secret_key: str | None
    allowed_hosts: tuple[str, ...]
    public_url: str | None
    email: Mapping[str, Any]
    configuration: Configuration
    debug: bool
    metrics_port: int | None
    log_format: str

    @property
    def embedded(self) -> bool:
        """Whether one process does everything, since no Redis could carry wake-ups between several."""
        return self.redis_url is None

    @property
    def agents_share_redis(self) -> bool:
        """Whether agents would reach Redis as the house does, and so more than what is below their own prefix."""
        return self.redis_url is not None and self.agents_redis_url == self.redis_url

    @property
    def https(self) -> bool:
        """Whether people reach this installation by an encrypted connection."""
        return (self.public_url or "").startswith("https://")

    @property
    def cookie_suffix(self) -> str:
        """What the names of cookies end in: browsers tell no ports apart, so two installations on one host need two
        names. Empty where people name no port, and in a fleet without PUBLIC_URL, whose web servers have many."""
        own = self.port if self.embedded else None
        port = urlsplit(self.public_url).port if self.public_url else own
        return "" if port in (None, *PLAIN_PORTS) else f"_{port}"

    @property
    def address(self) -> str:
        """The address to tell people."""
        # Who listens everywhere is reached from here by the loopback address.
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104
        host = f"[{host}]" if ":" in host else host
        return self.public_url or f"http://{host}:{self.port}"


def read(environ: Mapping[str, str]) -> Environment:
    """Return the checked settings; raise `UnsafeSetting` for the first one that cannot stand."""
    _refuse_unknown(environ)
    home = Path(environ.get("EARSHOT_HOME") or ".earshot").absolute()
    database_url = environ.get("DATABASE_URL") or f"sqlite:///{home / 'earshot.sqlite3'}"
    agents_url = environ.get("AGENTS_DATABASE_URL") or database_url
    found = Environment(
        host=environ.get("HOST") or "127.0.0.1",
        port=_checked(environ, "PORT", _port) or 8000,
        home=home,
        database=_parsed("DATABASE_URL", database_url, addresses.database),
        agents_database=addresses.walled(_parsed("AGENTS_DATABASE_URL", agents_url, addresses.database)),
        agents_database_url=agents_url,
        redis_url=_checked(environ, "REDIS_URL", addresses.redis),
        agents_redis_url=_checked(environ, "AGENTS_REDIS_URL", addresses.redis)
        or _checked(environ, "REDIS_URL", addresses.redis),
        secret_key=environ.get("SECRET_KEY") or None,
        allowed_hosts=_allowed_hosts(environ),
        public_url=_checked(environ, "PUBLIC_URL", addresses.origin),
        email=_parsed("EMAIL_URL", environ.get("EMAIL_URL") or None, addresses.email),
        configuration=_parsed("EARSHOT_CONFIG", environ.get("EARSHOT_CONFIG") or None, configuration.read),
        debug=_checked(environ, "DEBUG", _flag) or False,
        metrics_port=_checked(environ, "METRICS_PORT", _port),
        log_format=_checked(environ, "LOG_FORMAT", _log_format) or "text",
    )
    _refuse_unsafe(found)
    return found


def of_agents_alone(environ: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the agents' addresses of database and Redis where nothing of the house's stands beside them, else None.

    So a machine or a container of agents needs to hold none of the house's secrets, not even at the start.
    """
    theirs = environ.get("AGENTS_DATABASE_URL"), environ.get("AGENTS_REDIS_URL")
    if any(environ.get(name) for name in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY")):
        return None
    match theirs:
        case str(database), str(redis) if database and redis:
            _refuse_unknown(environ)
            _parsed("AGENTS_DATABASE_URL", database, addresses.database)
            _checked(environ, "LOG_FORMAT", _log_format)
            return database, _parsed("AGENTS_REDIS_URL", redis, addresses.redis)
    return None


def placement(environ: Mapping[str, str]) -> str:
    """Return whose queue a process of agents serves; empty: that of agents which have no placement."""
    return _checked(environ, "EARSHOT_PLACEMENT", _placement) or ""


def _placement(text: str) -> str:
    if not PLACEMENT.fullmatch(text):
        raise ValueError("takes letters, digits, _, . and -, at most 32")
    return text


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    for name in sorted(environ):
        if name.startswith("EARSHOT_") and name not in OWN_NAMES:
            raise UnsafeSetting(name, "is no setting of Earshot")


def _parsed(name: str, value: Any, parse: Callable[[Any], T]) -> T:
    try:
        return parse(value)
    except ValueError as error:
        # The value itself may hold a password, so it is not repeated.
        raise UnsafeSetting(name, str(error)) from None


def _checked(environ: Mapping[str, str], name: str, parse: Callable[[str], T]) -> T | None:
    value = environ.get(name)
    return _parsed(name, value, parse) if value else None


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= HIGHEST_PORT:
        raise ValueError(f"must be a number from 1 to {HIGHEST_PORT}")
    return int(text)


def _flag(text: str) -> bool:
    try:
        return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}[text.lower()]
    except KeyError:
        raise ValueError("must be 1 or 0") from None


def _log_format(text: str) -> str:
    if text not in logs.FORMATS:
        raise ValueError(f"must be {' or '.join(logs.FORMATS)}")
    return text


def _allowed_hosts(environ: Mapping[str, str]) -> tuple[str, ...]:
    named = [host.strip() for host in environ.get("ALLOWED_HOSTS", "").split(",") if host.strip()]
    if "*" in named:
        raise UnsafeSetting("ALLOWED_HOSTS", "must name hosts: with * any page could speak for this one")
    own = [*LOOPBACK[:2], "[::1]", socket.gethostname(), environ.get("HOST", "")]
    public = urlsplit(environ.get("PUBLIC_URL", "")).hostname
    wanted = [*named, *([public] if public else []), *([] if named else own)]
    return tuple(dict.fromkeys(host for host in wanted if host and host not in ("0.0.0.0", "::")))  # noqa: S104


def _refuse_unsafe(found: Environment) -> None:
    if found.secret_key is not None and len(found.secret_key) < SHORTEST_SECRET:
        raise UnsafeSetting("SECRET_KEY", f"must have at least {SHORTEST_SECRET} characters")
    if found.debug and (found.https or found.host not in LOOPBACK):
        raise UnsafeSetting("DEBUG", "shows secrets and is for this machine alone, not for a public address")
    if found.redis_url and found.secret_key is None:
        raise UnsafeSetting("SECRET_KEY", "must be set where several processes share it")
    _refuse_shared_role(found)


def _refuse_shared_role(found: Environment) -> None:
    """Refuse agents that would read by the house's own role, which is no wall at all."""
    house, agents = found.database, found.agents_database
    if house["ENGINE"] == addresses.SQLITE:
        if house["NAME"] != agents["NAME"]:
            raise UnsafeSetting("AGENTS_DATABASE_URL", "must be the file of DATABASE_URL")
    elif house["ENGINE"] != agents["ENGINE"] or house["USER"] == agents["USER"]:
        raise UnsafeSetting(
            "AGENTS_DATABASE_URL", "must name the restricted role of agents, not the role of DATABASE_URL"
        )
