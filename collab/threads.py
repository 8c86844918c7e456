"""The sockets' own database threads: reading waits for no request and no post, and none waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import connections

P = ParamSpec("P")
R = TypeVar("R")
_reading = ThreadPoolExecutor(max_workers=2, thread_name_prefix="hub")
_posting = ThreadPoolExecutor(max_workers=2, thread_name_prefix="socket-post")


async def in_thread(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Runs a blocking reading on one of the reading threads."""
    return await asyncio.get_running_loop().run_in_executor(_reading, lambda: _tidy(work, *args, **kwargs))


async def in_posting_thread(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Runs a blocking action on one of the posting threads."""
    return await asyncio.get_running_loop().run_in_executor(_posting, lambda: _tidy(work, *args, **kwargs))


def _tidy(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """The thread keeps its connection; one that broke is made anew by the next."""
    try:
        return work(*args, **kwargs)
    finally:
        for connection in connections.all(initialized_only=True):
            connection.close_if_unusable_or_obsolete()
