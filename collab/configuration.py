"""The file that EARSHOT_CONFIG names: TOML, read once. What is unknown or out of bounds stops the start."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from messaging.domain.handle import is_handle
from messaging.domain.limit import Limits

#: Sections of the chat apps, which nothing reads yet: to pass over one might open what somebody meant to close.
LATER = ("people", "chats", "channels")
#: Limits of the chat apps, which are taken and count nothing yet: there is nobody who asks by a chat app.
UNCOUNTED = ("per_sender_hour", "per_chat_hour", "member_daily", "guest_daily")
MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Configuration:
    """`owner`: the handle of who is to own the installation, or nothing. `uncounted`: limits given in vain, as yet."""

    owner: str = ""
    limits: Limits = field(default_factory=Limits)
    uncounted: tuple[str, ...] = ()


def read(address: str | None) -> Configuration:
    """The configuration in that file; without one the defaults. Raises ValueError with what is wrong, and where."""
    if address is None:
        return Configuration()
    try:
        with Path(address).open("rb") as file:
            given = tomllib.load(file)
    except OSError:
        raise ValueError("names no file that can be read") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"is no TOML: {error}") from None
    return _checked(given)


def _checked(given: Mapping[str, Any]) -> Configuration:
    for name, section in given.items():
        if name in LATER:
            raise ValueError(f"has a section [{name}], which is not available yet")
        if name not in ("owner", "limits"):
            raise ValueError(f"has {name}, which is none of its sections")
        if not isinstance(section, dict):
            raise ValueError(f"has {name}, which must be a section")
    limits = given.get("limits", {})
    uncounted = tuple(name for name in UNCOUNTED if name in limits)
    return Configuration(_owner(given.get("owner", {})), _limits(limits), uncounted)


def _owner(section: Mapping[str, Any]) -> str:
    unknown = next((key for key in section if key != "handle"), None)
    if unknown is not None:
        raise ValueError(f"has [owner] {unknown}, which is not available yet")
    handle = section.get("handle", "")
    if handle != "" and not (isinstance(handle, str) and is_handle(handle)):
        raise ValueError("has [owner] handle, which is no handle")
    return str(handle)


def _limits(section: Mapping[str, Any]) -> Limits:
    known = {one.name for one in fields(Limits)}
    for key, value in section.items():
        if key not in known:
            raise ValueError(f"has [limits] {key}, which is no limit")
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST:
            raise ValueError(f"has [limits] {key}, which must be a whole number of at least 1")
    return Limits(**section)
