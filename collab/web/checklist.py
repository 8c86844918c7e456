"""The demo session's short checklist, driven by what really happened."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
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


def checklist(progress: Progress, agent: str, *, may_ask: bool = True) -> list[Item]:
    """The lines in order, those alone that this person may do."""
    hint = f"Choose “People only”. {agent} will never hear it."
    people = Item("people", "Say something to people", hint, progress.spoke_to_people)
    hint = f"Choose “Ask {agent}” and watch what becomes of it."
    ask = Item("ask", f"Ask {agent}", hint, progress.was_answered)
    hint = "Look at everything it holds of this session, and nothing else."
    see = Item("see", f"See as {agent}", hint, progress.saw_as_agent)
    return [people, *([ask] if may_ask else []), see]


def is_complete(items: list[Item]) -> bool:
    """Whether nothing is left to do."""
    return all(item.done for item in items)
