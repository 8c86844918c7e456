"""The one process of an embedded installation is killed in mid-load, with no warning to its agents' child."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

from tests.chaos import cast
from tests.chaos.clients import until
from tests.chaos.run import Run
from tests.services.earshot import Installation

pytestmark = pytest.mark.chaos
POSTS = 80


@pytest.fixture
def single(tmp_path):
    running = Installation(tmp_path / "home")
    yield running
    running.stop()


def test_one_process_is_killed_again_and_again_and_nothing_is_lost(single, model, size, show):
    running = [single.up()]
    known = cast.meet("embedded", *cast.people(single, 8), single.address, model.openai_url, 1)
    kills = max(2, size.kills // 6)

    def sql(statement):
        with contextlib.closing(sqlite3.connect(single.home / "earshot.sqlite3", timeout=20)) as base:
            return base.execute(statement).fetchall()

    def kill(crowd):
        for n in range(kills):
            until(lambda wanted=(n + 1) * POSTS // (kills + 2): crowd.acknowledged() >= wanted, "posts", 60)
            # The process alone: what it started has to find out by itself, beside its successor.
            running[-1].process.kill()
            running[-1].process.wait()
            running.append(single.up())

    run = Run(known, [single.address], sql, model, size.seed, commits=False)
    crowd = run.go(POSTS, kill)
    again = sum(kept.tries > 1 for kept in crowd.kept)
    show(
        f"{len(crowd.kept)} posts ({again} tried again), {kills} kills, {run.took:.0f} s, the last {run.settled:.0f} to settle"
    )
    assert run.complaints(crowd) == []
    assert len(crowd.kept) == POSTS
