"""What Prometheus is told of one process."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import urllib.error
import urllib.request
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import OperationalError
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from collab.processes import exposition, metrics_port
from collab.processes.patience import Patient
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery
from tests.mailbox.cast import lease_runs_out, mirror, told
from tests.services.child import LOOPBACK, free_port
from tests.services.earshot import KEPT, PROGRAM


def samples(text: bytes) -> dict[tuple[str, str], float]:
    families = text_string_to_metric_families(text.decode())
    found = [sample for family in families for sample in family.samples if sample.name.startswith("earshot_")]
    return {(one.name, one.labels.get("queue", "")): one.value for one in found}


@pytest.mark.django_db(transaction=True)
def test_what_waits_is_told_at_the_moment_of_the_scrape():
    seat, canary = mirror(handle="canary-handle"), "canary-of-a-message"
    told(seat, canary)
    Delivery.objects.update(cleared_at=timezone.now() - timedelta(seconds=90))
    text = exposition.text()
    found = samples(text)
    assert found["earshot_database_up", ""] == 1
    assert found["earshot_queue_rows", "unclaimed"] == 1
    assert 90 <= found["earshot_queue_oldest_seconds", "unclaimed"] < 120
    assert found["earshot_queue_oldest_seconds", "unposted"] == 0
    assert b"canary" not in text
    held = claim(seat.id)
    assert held is not None
    assert samples(exposition.text())["earshot_turns_running", ""] == 1
    assert samples(exposition.text())["earshot_turns_left_behind", ""] == 0
    lease_runs_out(held.turn)
    assert samples(exposition.text())["earshot_turns_left_behind", ""] == 1


@pytest.mark.parametrize("hangs", [True, False])
def test_without_a_database_the_counters_are_told_all_the_same(monkeypatch: pytest.MonkeyPatch, hangs: bool):
    let_go = threading.Event()

    def asked() -> exposition.Families:
        if hangs:
            let_go.wait(30)
        raise OperationalError

    monkeypatch.setattr(exposition, "_asking", Patient(asked, seconds=0.1))
    text = exposition.text()
    let_go.set()
    assert samples(text)["earshot_database_up", ""] == 0
    assert b"earshot_queue_rows" not in text
    assert b"earshot_repeats_total" in text


def get(port: int, path: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(f"http://{LOOPBACK}:{port}{path}", timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, b""


@pytest.mark.django_db(transaction=True)
def test_a_port_of_its_own_tells_the_same_and_nothing_else():
    port = free_port()
    metrics_port.serve(LOOPBACK, port)
    status, body = get(port, "/metrics")
    assert status == 200
    assert samples(body)["earshot_database_up", ""] == 1
    assert get(port, "/")[0] == get(port, "/admin/")[0] == 404
    # Another worker of this machine takes the same port, which the first goes on to answer.
    metrics_port.serve(LOOPBACK, port)
    assert get(port, "/metrics")[0] == 200


def test_a_taken_port_is_told():
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            metrics_port.serve(LOOPBACK, taken.getsockname()[1])


def test_a_worker_does_not_start_without_the_port_that_it_was_told(tmp_path: Path):
    environ = {name: os.environ[name] for name in KEPT if name in os.environ}
    environ |= {"EARSHOT_HOME": str(tmp_path), "REDIS_URL": f"redis://{LOOPBACK}:1/0", "SECRET_KEY": "s" * 40}
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        port = taken.getsockname()[1]
        words = [str(PROGRAM), "worker"]
        done = subprocess.run(
            words, env=environ | {"METRICS_PORT": str(port)}, capture_output=True, text=True, check=False
        )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"earshot: METRICS_PORT {port} cannot be taken (Address already in use)\n"
