"""What Prometheus is told: the counters of this machine's processes, and what the database says at this moment."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

from django.utils import timezone
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from collab.processes import waiting
from collab.processes.patience import Patient
from messaging.journal import slots

CONTENT_TYPE = CONTENT_TYPE_LATEST
log = logging.getLogger(__name__)
Families = list[GaugeMetricFamily]


def text() -> bytes:
    """The whole scrape, in Prometheus' text format. Answers within some seconds, also without a database."""
    folder = os.environ.get(slots.VARIABLE)
    counted = _of_all_processes(Path(folder)) if folder else REGISTRY
    present = CollectorRegistry()
    present.register(Present())
    return generate_latest(counted) + generate_latest(present)


def _of_all_processes(folder: Path) -> CollectorRegistry:
    slots.tidy(folder)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))  # type: ignore[no-untyped-call]
    return registry


class Present(Collector):
    """Gauges of the installation, read when asked: every process of it would tell the same, so none is to be summed."""

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Name nothing: with names, being registered would ask the database."""
        return iter(())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Whether the database answers, and if so what waits in it."""
        try:
            families = _asking.ask()
        except Exception as error:  # noqa: BLE001 -- whatever it was, the rest is told all the same
            log.warning("The database could not be asked for its gauges (%s)", type(error).__name__)
            families = []
        up = 1 if families else 0
        yield GaugeMetricFamily("earshot_database_up", "Whether the database answers (1) or not (0)", up)
        yield from families


def _of_the_database() -> Families:
    rows = GaugeMetricFamily("earshot_queue_rows", "Rows that wait for the same step", labels=["queue"])
    ages = GaugeMetricFamily("earshot_queue_oldest_seconds", "How long the oldest of them has waited", labels=["queue"])
    now = timezone.now()
    for queue in waiting.waiting():
        rows.add_metric([queue.name], queue.rows)
        ages.add_metric([queue.name], max(0.0, (now - queue.oldest).total_seconds()) if queue.oldest else 0.0)
    held = waiting.holders()
    running = GaugeMetricFamily("earshot_turns_running", "Turns that run now", len(held))
    late = sum(one.lease_until is not None and one.lease_until < now for one in held)
    left = GaugeMetricFamily("earshot_turns_left_behind", "Running turns whose lease has run out", late)
    return [rows, ages, running, left]


_asking = Patient(_of_the_database, seconds=3.0)
