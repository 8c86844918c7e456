"""One run: people post and listen while something happens to the fleet; then all accounts are laid side by side."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.chaos import facts, reconcile
from tests.chaos.cast import Cast
from tests.chaos.clients import CANARY, Crowd
from tests.chaos.ears import Ear, Frame, changes
from tests.models.server import ModelServer

#: Seconds in which a dead worker's turn is taken up, its model asked again, and its answer posted.
SETTLE = 180
#: Seconds between posts of a client, on average.
REST = 0.4


@dataclass
class Run:
    """`sql` asks the database; `addresses` are those of the web processes; `lift` sees to processes meanwhile.

    `took` is all of it, `settled` what came after the last acknowledgement, in seconds.
    """

    cast: Cast
    addresses: list[str]
    sql: facts.Sql
    model: ModelServer
    seed: int
    commits: bool = True
    lift: Callable[[], None] = lambda: None
    took: float = 0.0
    settled: float = 0.0
    ears: list[Ear] = field(default_factory=list)

    def go(self, posts: int, meanwhile: Callable[[Crowd], None], rest: float = REST, patience: float = 120) -> Crowd:
        """Posts and listens while `meanwhile` does what it does; waits until all is quiet; answers with the clients."""
        began = time.monotonic()
        listeners = self.cast.everybody[:: max(1, len(self.cast.people) // 5)]
        self.ears = [
            Ear(who, session, self.addresses, self.seed) for who in listeners for session in self.cast.sessions
        ]
        crowd = Crowd(self.cast, self.addresses, posts, rest, self.seed)
        crowd.start()
        try:
            meanwhile(crowd)
            crowd.finish(patience)
            told = time.monotonic()
            self._settle()
        except TimeoutError as late:
            late.add_note(f"{crowd.acknowledged()} posts were acknowledged; clients met {crowd.faults}")
            raise
        finally:
            crowd.stop()
        self.took, self.settled = time.monotonic() - began, time.monotonic() - told
        return crowd

    def _settle(self) -> None:
        """Waits until nobody has anything left to do. Raises TimeoutError, and says what it was."""
        end = time.monotonic() + SETTLE
        while left := facts.waiting(self.sql):
            self.lift()
            if time.monotonic() > end:
                raise TimeoutError(f"after {SETTLE} s there are {left}")
            time.sleep(0.05)

    def complaints(self, crowd: Crowd) -> list[str]:
        """Everything that does not fit together."""
        agreed = time.monotonic() + 15
        heard = {f"{ear.person.handle} in {ear.session}": self._account(ear, agreed) for ear in self.ears}
        requests = list(self.model.requests)
        told = [f"the model heard {CANARY}" for request in requests if CANARY in request.text]
        rows = facts.read(self.sql, self.cast.sessions, commits=self.commits)
        wrong = reconcile.everything(crowd.kept, rows, facts.asked(requests, self.cast.name), heard)
        return crowd.faults + told + wrong

    def _account(self, ear: Ear, end: float) -> tuple[list[Frame], list[Frame]]:
        """What a socket was sent and what its person gets by asking, once the two had time to agree."""
        asked = changes(ear.person, ear.session, self.addresses[0])
        while len(ear.frames) < len(asked) and time.monotonic() < end:
            time.sleep(0.05)
        ear.stop()
        return ear.frames, asked
