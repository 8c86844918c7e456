"""What requests to models used up, as the agents' process notes it and the house reads it."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone

from messaging.mailbox.models import Usage

ANSWER, SUMMARY, TITLE = "answer", "summary", "title"
#: What a column holds: a server may say anything.
_MOST = 2**31 - 1


def note(
    seat: UUID, purpose: str, input_tokens: int, output_tokens: int, *, turn: UUID | None = None, attempt: int = 0
) -> None:
    """Notes one request of a seat, whether its answer came to anything or not. The house charges it when it collects.

    purpose: `ANSWER`, `SUMMARY` or `TITLE`. turn, attempt: those that it was made in, if any.
    """
    Usage.objects.create(
        seat_id=seat,
        turn_id=turn,
        attempt=attempt,
        purpose=purpose,
        input_tokens=_bounded(input_tokens),
        output_tokens=_bounded(output_tokens),
        at=timezone.now(),
    )


def _bounded(tokens: int) -> int:
    return max(0, min(tokens, _MOST))
