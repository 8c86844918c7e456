"""Redis loses all that it holds, and is then away for a while: nothing that matters was there."""

from __future__ import annotations

import math
import time

import httpx
import pytest

from tests.chaos import cast
from tests.chaos.clients import BURST, Client, Wish, until
from tests.chaos.run import Run

pytestmark = pytest.mark.chaos
#: Seconds between posts of a client: a burst in each four seconds.
REST = 0.8
#: Seconds within which /readyz tells the truth.
TRUTH = 10


def readiness(addresses):
    """What each web process misses, None for one that cannot be asked."""
    found = []
    for address in addresses:
        try:
            found.append(httpx.get(f"{address}/readyz", timeout=5).json()["missing"])
        except httpx.HTTPError:
            found.append(None)
    return found


def keys(number):
    return [f"<redis/alex/{n}>" for n in range(number)]


def test_posts_are_accepted_without_redis_and_all_that_waited_arrives(fleet, people, model, size, show):
    owner, others = people
    known = cast.meet("redis", owner, others[:8], fleet.addresses[0], model.openai_url, 1)
    posts = len(known.people) * BURST * math.ceil((size.gone + 4) / (REST * BURST))
    run = Run(known, fleet.addresses, fleet.sql, model, size.seed, lift=fleet.lift)
    seen = {}

    # Questions queue up before an agent that nobody can wake, until there is no room for more; people talk on.
    wishes = [Wish("alex", known.sessions[0], key, key, "participants") for key in keys(int(size.gone * 3))]
    talker = Client(owner, wishes, fleet.addresses, 0.2, size.seed)

    def lose(crowd):
        until(lambda: crowd.acknowledged() >= posts // 8, "the first posts", 60)
        fleet.redis.flush()
        time.sleep(1)
        began = time.monotonic()
        fleet.redis.crash()
        talker.start()
        crowd.clients.append(talker)
        until(lambda: all("redis" in (missing or ()) for missing in readiness(fleet.addresses)), "the truth", TRUTH)
        seen["told"] = time.monotonic() - began
        time.sleep(max(0.0, size.gone - seen["told"]))
        seen["accepted"] = len(talker.kept)
        fleet.redis.start()

    crowd = run.go(posts, lose, REST)
    fleet.wait_ready(TRUTH)
    show(
        f"{len(crowd.kept)} posts, {seen['accepted']} by one person in {size.gone} s without Redis; /readyz told after "
        f"{seen['told']:.1f} s; {run.took:.0f} s, the last {run.settled:.0f} to settle"
    )
    assert run.complaints(crowd) == []
    assert len(crowd.kept) == posts + len(wishes)
    assert seen["accepted"] >= size.gone
    assert {kept.tries for kept in talker.kept} == {1}
    assert fleet.fell == []
