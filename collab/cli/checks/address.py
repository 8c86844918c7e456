"""Where people reach it, and the key that signs their cookies."""

from __future__ import annotations

import stat
from urllib.parse import urlsplit

from collab.cli.checks.line import Line, failed, mended, ok
from collab.environment import LOOPBACK, Environment


def address(found: Environment) -> Line:
    """Whether the address that people use protects what they say."""
    if found.public_url is None:
        if found.host in LOOPBACK:
            return ok("PUBLIC_URL", f"not set: {found.address} answers this machine alone")
        return failed(
            "PUBLIC_URL", f"is not set, and HOST is {found.host}: set it to the https address that people use"
        )
    if found.https:
        return ok("PUBLIC_URL", f"{found.public_url}; a proxy before it has to set X-Forwarded-Proto")
    if urlsplit(found.public_url).hostname in LOOPBACK:
        return ok("PUBLIC_URL", f"{found.public_url}, this machine alone")
    return failed("PUBLIC_URL", f"{found.public_url} sends words and cookies in the clear: use https")


def secret_key(found: Environment, *, fix: bool) -> list[Line]:
    """Whether the signing key is there, and nobody else's to read."""
    if found.secret_key:
        return [ok("SECRET_KEY", f"given, {len(found.secret_key)} characters")]
    path = found.home / "secret_key"

    def look() -> list[Line]:
        if not path.is_file():
            return [failed("SECRET_KEY", f"{path} is not there: a start makes it")]
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            return [failed("SECRET_KEY", f"{path} can be read by others: chmod 600, or --fix")]
        return [ok("SECRET_KEY", f"kept in {path}, readable by its owner alone")]

    def mend() -> None:
        if path.is_file():
            path.chmod(0o600)

    return mended(look, mend, fix=fix)
