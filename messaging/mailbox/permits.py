"""What the agents' database role may do: the one list behind PostgreSQL's grants and SQLite's authorizer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Permit:
    """Rights on one table. Every permitted table may be read; `update` names the columns that may change."""

    table: str
    insert: bool = False
    update: tuple[str, ...] = ()


#: Never text, clearance, withholding or the house's marks (`journaled`, `message`).
PERMITS = (
    Permit("mailbox_seat", update=("shown",)),
    Permit(
        "mailbox_delivery",
        update=("state", "step", "reason", "retryable", "turn", "number", "delivered_at", "changed_at"),
    ),
    Permit("mailbox_transition", insert=True),
    Permit(
        "mailbox_turn",
        insert=True,
        update=(
            "state",
            "step",
            "reason",
            "retryable",
            "attempts",
            "window",
            "lease_owner",
            "lease_until",
            "not_before",
            "parked_at",
            "ended_at",
        ),
    ),
    Permit("mailbox_turnstep", insert=True),
    Permit("mailbox_attempt", insert=True, update=("state", "reason", "retryable", "acted", "ended_at")),
    Permit("mailbox_utterance", insert=True),
    Permit("mailbox_toolcall", insert=True, update=("state", "reason", "result", "rows", "ended_at")),
    Permit("mailbox_source", update=("tools", "fault", "listed_at")),
    Permit("mailbox_usage", insert=True),
    Permit("mailbox_summary", insert=True, update=("into",)),
)

#: SQLite's own table of words (`messaging.mailbox.words`), and what its full text search keeps them in. Rows enter it
#: by triggers alone.
WORDS = "mailbox_words"
WORDS_WITHIN = tuple(f"{WORDS}_{part}" for part in ("data", "idx", "content", "docsize", "config"))
WORDS_TRIGGERS = ("mailbox_delivery_words", "mailbox_utterance_words")
