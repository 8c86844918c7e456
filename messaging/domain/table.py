"""The shape that tables of states share: which moves are legal, and a drawing of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


class IllegalMove(ValueError):
    """A move that the table does not hold."""


@dataclass(frozen=True, slots=True)
class Table:
    """Legal moves, `state -> states`; the empty word is "not there yet"."""

    name: str
    moves: Mapping[str, tuple[str, ...]]

    def allows(self, before: str, after: str) -> bool:
        """Whether the step is in the table."""
        return after in self.moves.get(before, ())

    def check(self, before: str, after: str) -> None:
        """Raises IllegalMove where the step is not in the table."""
        if not self.allows(before, after):
            raise IllegalMove(f"{self.name}: {before or 'nothing'} -> {after} is no move")

    @property
    def states(self) -> tuple[str, ...]:
        """Every state, in the order of the table."""
        seen: dict[str, None] = {}
        for before, afters in self.moves.items():
            seen |= dict.fromkeys((before, *afters))
        return tuple(state for state in seen if state)

    @property
    def ends(self) -> tuple[str, ...]:
        """The states that nothing leaves."""
        return tuple(state for state in self.states if not self.moves.get(state))

    def pairs(self) -> Iterable[tuple[str, str]]:
        """Every legal step."""
        return ((before, after) for before, afters in self.moves.items() for after in afters)

    def diagram(self) -> str:
        """The table as a Mermaid state diagram, for the docs."""
        steps = [f"    {before or '[*]'} --> {after}" for before, after in self.pairs()]
        return "\n".join(["stateDiagram-v2", *steps, *(f"    {end} --> [*]" for end in self.ends)])
