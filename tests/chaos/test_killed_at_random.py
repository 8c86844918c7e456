"""Web, worker, agents, beat, Redis and PostgreSQL are killed at random while twenty people post."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.chaos import cast
from tests.chaos.plan import plan
from tests.chaos.run import Run

pytestmark = pytest.mark.chaos
SESSIONS = 3


def test_nothing_is_lost_doubled_or_out_of_order_whatever_dies(fleet, people, model, size, show):
    show(f"CHAOS_SEED={size.seed} gives these kills again; {size.posts} posts, {size.kills} kills")
    known = cast.meet("killed", *people, fleet.addresses[0], model.openai_url, SESSIONS)
    run = Run(known, fleet.addresses, fleet.sql, model, size.seed, lift=fleet.lift)
    kills = plan(size.seed, size.kills, size.posts)
    crowd = run.go(size.posts, lambda crowd: fleet.follow(kills, crowd.acknowledged, patience=60))
    fleet.wait_ready()
    wrong = run.complaints(crowd)
    again = sum(kept.tries > 1 for kept in crowd.kept)
    reconnects = sum(ear.connections for ear in run.ears)
    show(
        f"{len(crowd.kept)} posts ({again} tried again), {len(fleet.killed)} kills {dict(Counter(fleet.killed))}, "
        f"{reconnects} connections of {len(run.ears)} sockets, {len(model.requests)} model requests, {run.took:.0f} s, the last {run.settled:.0f} to settle"
    )
    assert wrong == []
    assert len(crowd.kept) == size.posts // len(known.people) * len(known.people)
    assert fleet.fell == []
