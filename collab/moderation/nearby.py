"""A model server on this machine that needs no account: whether Ollama answers, and which models it has."""

from __future__ import annotations

import http.client
import json
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

#: Where Ollama listens unless its own variable says otherwise.
PORT = 11434
VARIABLE = "OLLAMA_HOST"
_PATIENCE = 1.0
_MOST_BYTES, _MOST_MODELS, _LONGEST_NAME = 1 << 20, 50, 200


@dataclass(frozen=True, slots=True)
class Ollama:
    """One that answers: the address that its models are asked at, and their names."""

    base_url: str
    models: list[str]


def ollama(said: str | None = None) -> Ollama | None:
    """Ollama as this process reaches it, None where nothing answers in a second or what does is something else.

    said: host and port, or an address; by default what the environment says. No name leaves this network by it: the
    question goes to that host alone, and is led on to no other.
    """
    host, port, secure = _place(os.environ.get(VARIABLE, "") if said is None else said)
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    line = kind(host, port, timeout=_PATIENCE)
    try:
        line.request("GET", "/api/tags", headers={"Accept": "application/json"})
        answer = line.getresponse()
        models = _names(json.loads(answer.read(_MOST_BYTES))) if answer.status == http.HTTPStatus.OK else None
    except (OSError, ValueError, http.client.HTTPException, RecursionError):
        return None
    finally:
        line.close()
    shown = f"[{host}]" if ":" in host else host
    return None if models is None else Ollama(f"http{'s' if secure else ''}://{shown}:{port}/v1", models)


def _place(said: str) -> tuple[str, int, bool]:
    """Host, port, and whether by TLS. Where it listens everywhere, it is asked here."""
    try:
        parts = urlsplit(said if "://" in said else f"http://{said}")
        host, port = parts.hostname or "127.0.0.1", parts.port or PORT
    except ValueError:
        return "127.0.0.1", PORT, False
    return "127.0.0.1" if host in ("0.0.0.0", "::") else host, port, parts.scheme == "https"  # noqa: S104 -- read, not listened at


def _names(told: object) -> list[str] | None:
    """The models' names, as Ollama lists them; None for another shape."""
    rows = told.get("models") if isinstance(told, dict) else None
    if not isinstance(rows, list):
        return None
    names = [row.get("name") for row in rows if isinstance(row, dict)]
    return [name for name in names if isinstance(name, str) and _is_name(name)][:_MOST_MODELS]


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable()
