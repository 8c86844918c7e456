"""The hub's own few database threads: its reads wait for no request, and no request for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import close_old_connections

P = ParamSpec("P")
R = TypeVar("R")
_pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="hub")


async def read(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Runs blocking work on one of the threads."""

    def run() -> R:
        close_old_connections()
        try:
            return work(*args, **kwargs)
        finally:
            close_old_connections()

    return await asyncio.get_running_loop().run_in_executor(_pool, run)
