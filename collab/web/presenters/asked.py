"""What an agent asks somebody, as it stands on the page: all of it, and nothing that could pose as something else."""

from __future__ import annotations

import json
from dataclasses import dataclass

from messaging.domain.ask import APPROVE, AskKind, AskState
from messaging.domain.unseen import written_out
from messaging.transcript.view import AskView

_ENDS = {
    AskState.EXPIRED: "Nobody answered in time",
    AskState.WITHDRAWN: "Taken back: the turn that asked has ended",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """`head` says who wants what, `body` is what was asked, whole; `ended` what came of it, empty while it is open."""

    head: str
    body: str
    ended: str


def asked(ask: AskView) -> Asked:
    """The words of an ask. Of an approval the arguments in full, as they will be run."""
    if ask.kind == AskKind.APPROVAL:
        return Asked(f"{ask.agent_name} wants to call {ask.tool}", written_out(_arguments(ask.content)), _ended(ask))
    return Asked(f"{ask.agent_name} asks you", written_out(ask.content), _ended(ask))


def _arguments(content: str) -> str:
    call = json.loads(content)
    arguments = call.get("arguments") if isinstance(call, dict) else None
    return json.dumps(arguments, ensure_ascii=False, indent=2, sort_keys=True) if arguments else "without arguments"


def _ended(ask: AskView) -> str:
    if ask.state == AskState.ANSWERED:
        given = "approved" if ask.answer == APPROVE else "declined"
        return f"You {given} it" if ask.kind == AskKind.APPROVAL else f"You said: {written_out(ask.answer)}"
    return _ENDS.get(AskState(ask.state), "")
