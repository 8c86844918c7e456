"""The demo session's short checklist, driven by what really happened."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Facts:
    """What one person has done in the demo session so far."""

    spoke_to_people: bool
    was_answered: bool
    saw_as_agent: bool


@dataclass(frozen=True, slots=True)
class Item:
    """One line: what to do, why, how, and whether it is done."""

    key: str
    title: str
    hint: str
    done: bool


def checklist(facts: Facts, agent: str) -> list[Item]:
    """The lines in order."""
    return [
        Item(
            "people",
            "Say something to people",
            f"Choose “People only”. {agent} will never hear it.",
            facts.spoke_to_people,
        ),
        Item("ask", f"Ask {agent}", f"Choose “Ask {agent}” and watch what becomes of it.", facts.was_answered),
        Item(
            "see",
            f"See as {agent}",
            "Look at everything it holds of this session, and nothing else.",
            facts.saw_as_agent,
        ),
    ]


def is_complete(items: list[Item]) -> bool:
    """Whether nothing is left to do."""
    return all(item.done for item in items)
