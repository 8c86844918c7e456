"""A new version is rolled out: one web process after the other is asked to end, and its successor started."""

from __future__ import annotations

import signal

import pytest

from tests.chaos import cast
from tests.chaos.clients import until
from tests.chaos.run import Run

pytestmark = pytest.mark.chaos
POSTS = 80


def test_web_processes_are_replaced_without_a_lost_post_or_frame(fleet, people, model, size, show):
    owner, others = people
    known = cast.meet("rolling", owner, others[:8], fleet.addresses[0], model.openai_url, 1)
    run = Run(known, fleet.addresses, fleet.sql, model, size.seed, lift=fleet.lift)
    took = []

    def roll(crowd):
        until(lambda: crowd.acknowledged() >= POSTS // 10, "the first posts", 60)
        for name in ("web-0", "web-1"):
            took.append(fleet.children[name].stop(signal.SIGTERM))
            fleet.spawn(name)
            fleet.wait_ready()

    crowd = run.go(POSTS, roll)
    again = sum(kept.tries > 1 for kept in crowd.kept)
    reconnects = sum(ear.connections - 1 for ear in run.ears)
    show(
        f"{len(crowd.kept)} posts ({again} tried again), {reconnects} sockets came back, "
        f"stops of {', '.join(f'{one:.1f}' for one in took)} s; {run.took:.0f} s, the last {run.settled:.0f} to settle"
    )
    assert run.complaints(crowd) == []
    assert len(crowd.kept) == POSTS
    assert reconnects >= len(run.ears)
    assert max(took) < 5
