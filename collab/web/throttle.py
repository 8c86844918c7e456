"""Bounds on tries to sign in: per account, to slow guessing, and per address, to slow spraying.

Every try counts before the password is looked at, whether or not such an account exists, so that the
bound tells nothing about who is here. Names are kept as digests."""

from __future__ import annotations

import hashlib
import math
import time

from django.core.cache import cache

WINDOW = 300
TRIES_AN_ACCOUNT = 10
TRIES_AN_ADDRESS = 40


def take_try(account: str, address: str) -> int:
    """Counts one try. Answers with the seconds to wait where there were too many, else 0."""
    now = time.time()
    spent = (
        _count("account", account.casefold(), now) > TRIES_AN_ACCOUNT,
        _count("address", address, now) > TRIES_AN_ADDRESS,
    )
    return _until_next(now) if any(spent) else 0


def forgive(account: str) -> None:
    """Forgets an account's tries once the right password came."""
    cache.delete(_key("account", account.casefold(), time.time()))


def _count(kind: str, value: str, now: float) -> int:
    key = _key(kind, value, now)
    cache.add(key, 0, WINDOW)
    try:
        return cache.incr(key)
    except ValueError:  # the cache made room between the two calls
        return 1


def _key(kind: str, value: str, now: float) -> str:
    digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
    return f"sign-in:{kind}:{digest}:{int(now // WINDOW)}"


def _until_next(now: float) -> int:
    return math.ceil(WINDOW - now % WINDOW)
