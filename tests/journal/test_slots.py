"""Several processes of one machine count as one, whoever dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from messaging.journal import slots

COUNTING = """
import sys
from messaging.journal import metrics
for _ in range(int(sys.argv[1])):
    metrics.repeats.inc()
    metrics.refusals.labels("shape").inc(2)
metrics.sockets.set(int(sys.argv[2]))
print("counted", flush=True)
sys.stdin.readline()
"""


class Counting:
    """A process that counts, says so, and stays until it is let go or killed."""

    def __init__(self, folder: Path, times: int, sockets: int = 0) -> None:
        environ = os.environ | {slots.VARIABLE: str(folder)}
        command = [sys.executable, "-c", COUNTING, str(times), str(sockets)]
        self.process = subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"counted\n"

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    def end(self) -> None:
        self.process.communicate(b"\n")


def scraped(folder: Path) -> dict[str, float]:
    slots.tidy(folder)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))
    samples = (sample for family in registry.collect() for sample in family.samples)
    return {sample.name: sample.value for sample in samples}


def test_processes_are_summed_exactly(tmp_path: Path):
    running = [Counting(tmp_path, 1000, sockets=3) for _ in range(3)]
    found = scraped(tmp_path)
    assert (found["earshot_repeats_total"], found["earshot_refusals_total"]) == (3000, 6000)
    assert found["earshot_sockets"] == 9
    for one in running:
        one.end()


def test_a_dead_process_s_counts_stay_and_its_sockets_do_not(tmp_path: Path):
    lives, dies = Counting(tmp_path, 10, sockets=1), Counting(tmp_path, 5, sockets=4)
    dies.kill()
    found = scraped(tmp_path)
    assert (found["earshot_repeats_total"], found["earshot_sockets"]) == (15, 1)
    lives.end()


def test_a_successor_counts_on_in_the_same_file(tmp_path: Path):
    """So restarts neither take a sum back nor add files for ever."""
    for _ in range(4):
        Counting(tmp_path, 5, sockets=2).kill()
    found = scraped(tmp_path)
    assert (found["earshot_repeats_total"], found.get("earshot_sockets", 0)) == (20, 0)
    assert len(list(tmp_path.glob("counter_*.db"))) == 1


def test_two_living_processes_never_share_a_slot(tmp_path: Path):
    first, second = slots.take(tmp_path), slots.take(tmp_path)
    assert first != second


def test_a_living_process_s_gauges_are_not_taken_away(tmp_path: Path):
    """The control of `tidy`: it sees who lives."""
    running = Counting(tmp_path, 1, sockets=7)
    for _ in range(3):
        assert scraped(tmp_path)["earshot_sockets"] == 7
    running.end()
