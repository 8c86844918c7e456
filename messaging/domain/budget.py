"""A day's budget: when it is nearly used up, and what is said of one that is (decisions, "Dispatch")."""

from __future__ import annotations

from datetime import datetime

#: The part of a budget, in hundredths, from which on it is said that it comes to its end.
NEAR = 80
#: The code of what it does not pay for.
CODE = "over_budget"


def is_near(used: int, bound: int) -> bool:
    """Whether so much is used up that somebody should know."""
    return used * 100 >= bound * NEAR


def spent_up(name: str, renews: datetime) -> str:
    """Whose budget is used up, and when there is a new one; `renews` in the zone that the day is counted in."""
    return f"Today's budget of {name} is used up, new at {renews:%H:%M %Z}.".replace(" .", ".")


def cost(input_tokens: int, output_tokens: int, price_in: float | None, price_out: float | None) -> float | None:
    """What so many tokens cost by prices for a million of each; None where no price is known."""
    if price_in is None and price_out is None:
        return None
    return (input_tokens * (price_in or 0) + output_tokens * (price_out or 0)) / 1_000_000
