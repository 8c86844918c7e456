"""Turn the addresses of the environment into what Django wants. Pure: nothing is opened here."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

SQLITE = "django.db.backends.sqlite3"
WALLED_SQLITE = "messaging.mailbox.walled"
POSTGRESQL = "django.db.backends.postgresql"
MAIL_SCHEMES = {"smtp": (False, False), "smtp+tls": (True, False), "smtps": (False, True)}

#: A server that is away, a transaction that nobody ends, a lock that nobody lets go: none holds others up for long.
#: An address may say otherwise, as in `?connect_timeout=30`.
PATIENCE = {
    "connect_timeout": "5",
    "tcp_user_timeout": "15000",
    "options": "-c lock_timeout=5s -c idle_in_transaction_session_timeout=60s",
}

UNKNOWN_KIND = "is no address of a kind that Earshot knows"


def database(address: str) -> dict[str, Any]:
    """Return Django's settings for `sqlite:///path` or `postgresql://user:password@host:port/name`."""
    parts = urlsplit(address)
    if parts.scheme == "sqlite":
        return sqlite(Path(_sqlite_path(parts)))
    if parts.scheme in ("postgresql", "postgres"):
        return _postgresql(parts)
    raise ValueError(UNKNOWN_KIND)


def _sqlite_path(parts: SplitResult) -> str:
    # Three slashes begin a relative path and four an absolute one, as the custom has it.
    path = unquote(parts.path)[1:]
    if parts.netloc or not path or path == ":memory:":
        raise ValueError("must name a file: several processes share it")
    return path


def sqlite(path: Path) -> dict[str, Any]:
    """Return settings for a SQLite file that several threads and processes write."""
    return {
        "ENGINE": SQLITE,
        "NAME": str(path.absolute()),
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # A transaction that reads and then writes fails at once if it began deferred.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # FULL because "accepted" means durable.
            "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL",
        },
    }


def walled(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the same database behind the agents' wall, where the wall stands in the connection."""
    if settings["ENGINE"] == SQLITE:
        return settings | {"ENGINE": WALLED_SQLITE}
    return settings


def _postgresql(parts: SplitResult) -> dict[str, Any]:
    name = unquote(parts.path).lstrip("/")
    if not name:
        raise ValueError("names no database")
    options = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
    # A folder of a Unix socket cannot stand where a host name does, so `?host=` may give it.
    host = options.pop("host", unquote(parts.hostname or ""))
    return {
        "ENGINE": POSTGRESQL,
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {**PATIENCE, **options},
    }


def redis(address: str) -> str:
    """Return the address if it is one of a Redis server."""
    parts = urlsplit(address)
    if parts.scheme not in ("redis", "rediss") or not parts.hostname:
        raise ValueError("must look like redis://host:6379/0")
    return address


def origin(address: str) -> str:
    """Return `scheme://host[:port]` of the place where people reach Earshot."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must look like https://earshot.example.org")
    if parts.path.strip("/") or parts.query or parts.fragment or parts.username:
        raise ValueError("must hold no more than scheme, host and port")
    try:
        # Whoever asks for a port that is none is told so by an exception, with the value in its words.
        _ = parts.port
    except ValueError:
        raise ValueError("must name a port that is a number up to 65535") from None
    return f"{parts.scheme}://{parts.netloc}"


def email(address: str | None) -> dict[str, Any]:
    """Return Django's mail settings; without an address mail goes nowhere."""
    if address is None:
        return {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
    parts = urlsplit(address)
    if parts.scheme not in MAIL_SCHEMES or not parts.hostname:
        raise ValueError("must look like smtp+tls://user:password@host:587")
    tls, ssl = MAIL_SCHEMES[parts.scheme]
    options = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
    sender = options.pop("from", "earshot@localhost")
    if options or "@" not in sender:
        raise ValueError("takes ?from=ADDRESS and nothing else")
    return {
        "DEFAULT_FROM_EMAIL": sender,
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or (465 if ssl else 587 if tls else 25),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": tls,
        "EMAIL_USE_SSL": ssl,
        "EMAIL_TIMEOUT": 20,
    }
