"""The agents in a fleet: a queue of their own, whose tasks are wake-ups for rows."""

from __future__ import annotations

import os
from typing import Any

import django
from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collab.settings.agents")
django.setup()

from django.conf import settings  # noqa: E402 — the settings stand once Django is set up

from messaging.mailbox import wake  # noqa: E402


def configuration(redis_url: str, placement: str = "") -> dict[str, Any]:
    """Celery's settings: nothing but this one task, nothing outside the agents' own keys, one placement's queue."""
    return {
        "broker_url": redis_url or "memory://localhost/",
        "broker_transport_options": {
            "global_keyprefix": wake.PREFIX,
            "socket_connect_timeout": 2,
            "socket_keepalive": True,
        },
        "broker_connection_retry_on_startup": True,
        "task_default_queue": wake.queue(placement),
        "imports": ("messaging.agents.tasks",),
        "task_ignore_result": True,
        "task_serializer": "json",
        "accept_content": ["json"],
        "timezone": "UTC",
        "worker_prefetch_multiplier": 1,
        # Remote control speaks on channels outside the prefix.
        "worker_enable_remote_control": False,
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
    }


#: The agents' own access to Redis, with rights on their own keys alone.
REDIS_URL: str = getattr(settings, "AGENTS_REDIS_URL", None) or ""
app = Celery("agents")
app.conf.update(configuration(REDIS_URL, getattr(settings, "PLACEMENT", "")))


@signals.worker_ready.connect
def _begin(**_: object) -> None:
    from messaging.agents import fleet

    fleet.begin(REDIS_URL)


@signals.worker_shutting_down.connect
def _end(**_: object) -> None:
    from messaging.agents import fleet

    fleet.end()
