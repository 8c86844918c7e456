"""Who is killed when: the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

KINDS = ("web", "worker", "agents", "beat", "redis", "postgres")


@dataclass(frozen=True)
class Kill:
    """Once `after` posts are acknowledged and `pause` seconds have gone by, one of a kind dies for `down` seconds."""

    after: int
    pause: float
    kind: str
    down: float


def plan(seed: int, kills: int, posts: int, kinds: Sequence[str] = KINDS) -> list[Kill]:
    """Spreads the kills over the posts. Every kind has its turn before one comes again."""
    dice = random.Random(seed)
    return [
        Kill(
            after=int(posts * (n + dice.random()) / (kills + 1)),
            pause=dice.uniform(0, 0.3),
            kind=kind,
            down=dice.uniform(0.1, 2.0),
        )
        for n, kind in enumerate(_shuffled(dice, kinds, kills))
    ]


def _shuffled(dice: random.Random, kinds: Sequence[str], number: int) -> list[str]:
    drawn: list[str] = []
    while len(drawn) < number:
        drawn += dice.sample(kinds, len(kinds))
    return drawn[:number]
