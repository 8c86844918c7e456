"""The queue of the house. A task is a wake-up for a row: it carries ids, and losing it loses nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from celery import Celery, signals
from django.conf import settings

if TYPE_CHECKING:
    from collab.environment import Environment

SWEEP_SECONDS = 5.0


def configuration(environment: Environment) -> dict[str, Any]:
    """Return Celery's settings for one process with everything in it, or for a fleet around Redis."""
    return _broker(environment.redis_url) | {
        "imports": ("messaging.actions.tasks",),
        "task_default_queue": "house",
        "task_ignore_result": True,
        "task_serializer": "json",
        "accept_content": ["json"],
        "timezone": "UTC",
        # A broker that is away must not hold up a request: the sweep finds the row.
        "task_publish_retry_policy": {"max_retries": 1, "interval_start": 0, "interval_max": 0.2},
        "broker_connection_timeout": 2,
        "broker_connection_retry_on_startup": True,
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
        "beat_schedule": {
            "sweep": {
                "task": "messaging.actions.tasks.sweep",
                "schedule": SWEEP_SECONDS,
                "options": {"expires": SWEEP_SECONDS},
            }
        },
    }


def _broker(redis_url: str | None) -> dict[str, Any]:
    if redis_url is None:
        # The broker's own pause between looks, a whole second, would be all of the latency.
        return {"broker_url": "memory://localhost/", "broker_transport_options": {"polling_interval": 0.02}}
    options = {"global_keyprefix": "earshot:", "socket_connect_timeout": 2, "socket_keepalive": True}
    return {"broker_url": redis_url, "broker_transport_options": options}


app = Celery("earshot")
app.conf.update(configuration(settings.ENVIRONMENT))


@signals.task_prerun.connect
@signals.task_postrun.connect
def _drop_broken_connections(**_: object) -> None:
    # A worker thread lives long; the database server may have restarted since its last task.
    from django.db import close_old_connections

    close_old_connections()
