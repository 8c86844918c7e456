"""Whoever loses access hears nothing later than two seconds after the commit, while others post a hundred a second.

Two web processes, a socket of each victim at both; without Redis it is five seconds. The time of the commit is
PostgreSQL's own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx
import pytest

from tests.chaos import cast
from tests.chaos.deeds import closed, disabled, expired, removed, revoked, signed_in, signed_out
from tests.chaos.ears import Ear
from tests.chaos.load import Load

pytestmark = pytest.mark.chaos
RATE = 100
SLACK = 0.5


@dataclass
class Loss:
    """One victim, its sockets, and when it lost what."""

    ears: list[Ear]
    deed: Callable[..., float]
    at: float = 0.0

    @property
    def latest(self) -> float:
        """Seconds from the commit to the last frame; negative where none came after it."""
        return max(time for ear in self.ears for time in ear.times) - self.at

    @property
    def let_go(self) -> float | None:
        """Seconds from the commit until the last socket was closed for it; None where one stayed open."""
        ends = [[at for code, at in ear.closed if code == 4403] for ear in self.ears]
        return max(end[0] for end in ends) - self.at if all(ends) else None


@pytest.fixture
def known(fleet, people, victims, model):
    """A session of its own for each test."""
    owner, others = people
    name = f"lost{time.monotonic_ns()}"
    return cast.meet(name, owner, [*others[:5], *victims], fleet.addresses[0], model.openai_url, 1)


def listening(fleet, known, somebody) -> list[Ear]:
    return [Ear(somebody, known.sessions[0], [address]) for address in fleet.addresses]


def lose(fleet, known, planned, within, show, through=2) -> list[str]:
    """Does each deed in turn while others talk; answers with what took too long.

    through: how many of the web processes take what the others say.
    One after the other: what one deed makes the server look at must not hide what another does not.
    """
    control = listening(fleet, known, known.owner)
    losses = [Loss(listening(fleet, known, somebody), deed) for deed, somebody in planned]
    every = control + [ear for loss in losses for ear in loss.ears]
    try:
        assert all(ear.ready.wait(20) for ear in every)
        with Load(known.people[:5], known.sessions[0], fleet.addresses[:through], RATE) as load:
            time.sleep(1)
            for loss, (_, somebody) in zip(losses, planned, strict=True):
                loss.at = loss.deed(fleet, known, somebody)
                time.sleep(within + SLACK)
    finally:
        for ear in every:
            ear.stop()
    names = [f"{loss.deed.__name__} {loss.latest:.2f} s" for loss in losses]
    show(f"{load.rate:.0f} posts/s; last frame after the commit: {', '.join(names)}")
    assert load.rate > RATE / 10, "nobody talked"
    if closed not in [deed for deed, _ in planned]:
        assert min(ear.times[-1] for ear in control) > losses[-1].at + within / 2, "the control hears on and on"
    late = [f"{loss.deed.__name__}: a frame {loss.latest:.2f} s after" for loss in losses if loss.latest > within]
    return late + [f"{loss.deed.__name__}: let go {loss.let_go}" for loss in losses if (loss.let_go or 99) > within]


def test_lost_access_is_lost_within_two_seconds(fleet, victims, known, show):
    expiring, leaving = (signed_in(fleet, victims[n].handle) for n in (2, 3))
    planned = [(disabled, victims[0]), (revoked, victims[1]), (expired, expiring), (signed_out, leaving)]
    assert lose(fleet, known, [*planned, (removed, victims[4])], 2.0, show) == []


def test_a_closed_session_falls_silent_within_two_seconds(fleet, victims, known, show):
    assert lose(fleet, known, [(closed, victims[5])], 2.0, show) == []


def test_without_redis_it_takes_five_seconds_at_most(fleet, victims, known, show):
    """The second process is told of nothing then: neither of the removal nor of what is said at the first."""
    fleet.redis.crash()
    try:
        assert lose(fleet, known, [(removed, victims[6])], 5.0, show, through=1) == []
    finally:
        fleet.redis.start()
        fleet.wait_ready()


def test_who_is_demoted_may_not_ask_any_more_at_the_next_call(fleet, victims, known):
    """Reading goes on, by an open socket too; asking ends with the answer to the demotion, at either process."""
    victim = victims[7]
    # With a key as every question has: the first may reach the model before its author is demoted.
    body = {"text": f"may I? <lost/{victim.handle}/0>", "audience": "active_agent"}
    path = f"/api/v1/sessions/{known.sessions[0]}"
    with httpx.Client(timeout=10) as http:
        for address in fleet.addresses:
            assert http.post(f"{address}{path}/messages", json=body, headers=victim.headers).status_code == 201
        demoted = http.patch(
            f"{fleet.addresses[0]}{path}/members/{victim.handle}", json={"role": "viewer"}, headers=known.owner.headers
        )
        assert demoted.status_code == 200
        for address in fleet.addresses:
            assert http.post(f"{address}{path}/messages", json=body, headers=victim.headers).status_code == 403
