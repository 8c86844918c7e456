"""Fills the demo of the installation that the environment names: `python fill.py MESSAGES`."""

from __future__ import annotations

import os
import random
import sys

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "collab.settings.house"
django.setup()

from messaging.actions.draft import Draft, Refusal  # noqa: E402
from messaging.actions.post import post  # noqa: E402
from messaging.roster import access  # noqa: E402
from messaging.roster.models import Person  # noqa: E402

WORDS = (
    "good morning",
    "äöü ß",
    "🎧 ear",
    '"quoted" \\ \\n',
    "line\nbreak\ttab",
    "x" * 300,
    "日本語",
    "NULL",
    "\\N",
    "{}",
)
AUDIENCES = ("participants", "participants", "everyone", "participant:mo")
BATCH = 200


def main(messages: int) -> None:
    """Posts in batches, seeded, so that two runs say the same."""
    chance = random.Random(3)
    people = [
        access.viewer_of(Person.objects.select_related("handle").get(handle__spelled=handle))
        for handle in ("alex", "sam")
    ]
    for start in range(0, messages, BATCH):
        numbers = range(start, min(start + BATCH, messages))
        drafts = [
            Draft(
                chance.choice(people), "welcome", f"{n} {chance.choice(WORDS)}", chance.choice(AUDIENCES),
                client_key=f"key-{n}", source={"client": "fill"},
            )
            for n in numbers
        ]  # fmt: skip
        refused = [outcome for outcome in post(drafts) if isinstance(outcome, Refusal)]
        if refused:
            raise SystemExit(refused[0].detail)


main(int(sys.argv[1]))
