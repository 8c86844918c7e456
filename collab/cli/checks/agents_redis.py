"""Redis, and the agents' own user there: confined to what is below their prefix, by trying."""

from __future__ import annotations

import secrets
from typing import Any
from urllib.parse import unquote, urlsplit

from collab.cli.checks.line import Line, failed, mended, ok
from collab.environment import Environment

HOUSE = "redis"
USER = "agents' redis"
RIGHTS = ("~agents:*", "&agents:*", "+@all", "-@admin", "-@dangerous")
HOW = f"ACL SETUSER {{user}} reset on >PASSWORD {' '.join(RIGHTS)}, or `earshot check --fix`"


def agents_redis(found: Environment, *, fix: bool) -> list[Line]:
    """Look whether Redis answers and its agents' user is confined; where asked, make that user."""
    if found.embedded:
        return [ok(HOUSE, "none: one process does everything")]
    return mended(lambda: _look(found), lambda: _mend(found), fix=fix)


def _look(found: Environment) -> list[Line]:
    import redis

    try:
        version = _client(found.redis_url).info("server")["redis_version"]
    except redis.RedisError as error:
        return [failed(HOUSE, f"does not answer ({type(error).__name__}): see REDIS_URL, and whether it runs")]
    there = ok(HOUSE, f"Redis {version} answers")
    if found.agents_share_redis:
        return [there, failed(USER, "AGENTS_REDIS_URL names no user of the agents' own: they reach every key; set it")]
    return [there, _confined(found.agents_redis_url or "")]


def _confined(url: str) -> Line:
    import redis

    user = name(url)
    how = HOW.format(user=user)
    try:
        too_much = _reaches(_client(url))
    except redis.AuthenticationError:
        return failed(USER, f"{user} cannot log in: {how}")
    except redis.exceptions.NoPermissionError:
        return failed(USER, f"{user} cannot write below agents: {how}")
    except redis.RedisError as error:
        return failed(USER, f"{user} is not answered ({type(error).__name__}): see AGENTS_REDIS_URL")
    if too_much:
        return failed(USER, f"{user} may {', '.join(too_much)}: {how}")
    return ok(USER, f"{user} writes below agents: and is refused every other key, other channels, dangerous commands")


def _reaches(client: Any) -> list[str]:
    """What it may and should not. Raises NoPermissionError where it may not do its own work."""
    mark = secrets.token_hex(8)
    client.set(f"agents:check:{mark}", "1", px=1000)
    tries = {
        "write other keys": ("SET", f"earshot:check:{mark}", "1", "PX", "1000"),
        "read other keys": ("GET", f"earshot:check:{mark}"),
        "publish on other channels": ("PUBLISH", f"earshot:check:{mark}", "1"),
        "run dangerous commands": ("KEYS", f"agents:check:{mark}:none"),
    }
    return [what for what, words in tries.items() if _may(client, *words)]


def _may(client: Any, *words: str) -> bool:
    import redis

    try:
        client.execute_command(*words)
    except redis.exceptions.NoPermissionError:
        return False
    return True


def _mend(found: Environment) -> None:
    """Make the agents' user as the house, where the house may; the next look tells whether it did."""
    import redis

    url = found.agents_redis_url or ""
    password = unquote(urlsplit(url).password or "")
    if found.agents_share_redis or not password or name(url) == "default":
        return
    client = _client(found.redis_url)
    try:
        client.execute_command("ACL", "SETUSER", name(url), "reset", "on", f">{password}", *RIGHTS)
        # Without a file of users this is refused; then the user lives until Redis restarts.
        client.execute_command("ACL", "SAVE")
    except redis.RedisError:
        return


def name(url: str) -> str:
    """Return the user that an address of Redis names."""
    return unquote(urlsplit(url).username or "") or "default"


def _client(url: str | None) -> Any:
    from messaging.mailbox import alive

    return alive.client(url or "")
