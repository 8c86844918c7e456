"""Answers an ask: once, by the person whom it names, where it was shown to them, while it is open."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from messaging.actions import asking
from messaging.actions.draft import Refusal
from messaging.actions.settle import settle
from messaging.domain.ask import AskKind, AskState, Standing, Surface, fault
from messaging.domain.turn import TurnState
from messaging.journal import clock as clocks
from messaging.mailbox.models import ToolCall
from messaging.roster.access import Forbidden, Hidden, Viewer
from messaging.roster.credentials import is_owner
from messaging.transcript import asks
from messaging.transcript.models import Ask, AskShown
from messaging.transcript.view import AskView

_WORDS = {
    "closed": "This was answered, taken back or is too late by now.",
    "not_shown": "This was not shown to you here yet; look at it first.",
    "conflict": "This is not what you looked at; look again.",
    "bad_choice": "This is none of the options.",
}
#: What a request is to mend.
_FIELDS = {"conflict": "digest", "bad_choice": "choice"}


@transaction.atomic
def answer_ask(who: Viewer, ask: str | UUID, choice: str, surface: Surface, digest: str = "") -> AskView:
    """The ask with its answer; what waited for it goes on in the same transaction.

    digest: of what the person had before them, where they say so. Raises Hidden for anybody else and for who has lost
    the session, Forbidden for an approval by who owns the installation no more, or Refusal: 409 `closed`, `not_shown`,
    `conflict`; 422 `bad_choice`.
    """
    # The session's clock comes before everything: an end of the turn, of the time and another answer wait for it.
    held = clocks.lock([_mine(who, ask).session_id])
    row = _mine(who, ask)
    _demand(who, row)
    shown = AskShown.objects.filter(ask=row, surface=surface).exists()
    state = row.state if _is_waited_for(row) else AskState.WITHDRAWN
    standing = Standing(state, row.options, row.digest, row.expires_at)
    code = fault(standing, choice, timezone.now(), shown=shown, seen=digest)
    if code:
        raise _refusal(code)
    if not asking.end(held[row.session_id], row, AskState.ANSWERED, who, choice):
        raise _refusal("closed")
    if row.call is not None:
        settle(row.session_id)
    return asks.view(row)


def _mine(who: Viewer, ask: str | UUID) -> Ask:
    """Raises Hidden."""
    try:
        wanted = ask if isinstance(ask, UUID) else UUID(ask)
    except ValueError:
        raise Hidden from None
    row = asks.of(who).filter(id=wanted).first()
    if row is None:
        raise Hidden
    return row


def _demand(who: Viewer, row: Ask) -> None:
    if row.kind == AskKind.APPROVAL and not is_owner(who):
        raise Forbidden("no_capability", "The installation's owner alone approves this.", session=row.session_id)


def _is_waited_for(row: Ask) -> bool:
    """Whether the turn that asked still runs, where one did."""
    if row.call is None:
        return True
    return ToolCall.objects.filter(id=row.call, ask=row.id, turn__state=TurnState.RUNNING).exists()


def _refusal(code: str) -> Refusal:
    return Refusal(422 if code == "bad_choice" else 409, code, _WORDS[code], _FIELDS.get(code, ""))
