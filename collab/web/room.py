"""What the session page shows, loaded through its viewer."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import uuid4

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest

from collab.web import facts
from collab.web.checklist import Item, checklist, is_complete
from collab.web.presenters.choices import Choice, Room, choices, first
from collab.web.presenters.reply import audience_for
from collab.web.presenters.rows import rows
from messaging.domain.capability import granted
from messaging.domain.reason import TURN
from messaging.domain.turn import TurnState
from messaging.journal.models import Clock
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import Session
from messaging.transcript import read
from messaging.transcript.view import MessageView

SHOWN = {"all": "All", "human": "People", "agent": "Agents"}


@dataclass(frozen=True, slots=True)
class Writing:
    """The composer's state: what stands in it and why it came back."""

    text: str = ""
    audience: str = ""
    problem: str = ""
    reply: MessageView | None = None
    client_key: str = field(default_factory=lambda: str(uuid4()))


def frame(viewer: Viewer, session: Session, request: HttpRequest, writing: Writing) -> dict[str, Any]:
    """Everything around the transcript."""
    room = _room(viewer, session)
    offered = choices(room)
    active = next((agent for agent in room.agents if agent.active), None)
    return {
        "session": session,
        "me": viewer,
        "sessions": access.sessions(viewer),
        "agents": room.agents,
        "people": [m for m in room.members if m.kind == "human"],
        "choices": offered,
        "chosen": _chosen(room, offered, writing),
        "client_key": writing.client_key,
        "text": writing.text,
        "problem": writing.problem,
        "reply": writing.reply,
        "active_agent": active,
        "has_others": bool(room.others),
        "checklist": _checklist(viewer, session, request, active.name) if active else [],
    }


def transcript(viewer: Viewer, session: Session, before: int | None, show: str) -> dict[str, Any]:
    """The newest messages, or those before one. The clock is read first: what comes meanwhile is sent again
    by the socket, which does no harm; the other way round it would be missed."""
    seq = Clock.objects.get(session=session.id).seq
    page = read.page(viewer, session, before=before, only=show)
    return {
        "seq": seq,
        "rows": rows(page.items),
        "earlier": page.next,
        "is_newest": before is None,
        "show": show,
        "shown": SHOWN.items(),
        "turns": _turns(viewer, session),
        "reasons": json.dumps(dict(TURN)),
    }


def _turns(viewer: Viewer, session: Session) -> str:
    """Turns that run or gave no answer, for the words beside their inputs."""
    unanswered = [asdict(turn) for turn in read.turns(viewer, session) if turn.state != TurnState.FINISHED]
    return json.dumps(unanswered, cls=DjangoJSONEncoder)


def _room(viewer: Viewer, session: Session) -> Room:
    role = access.role(viewer, session)
    return Room(viewer.handle, access.members(viewer, session), granted(role, guests_public=session.guests_public))


def _chosen(room: Room, offered: list[Choice], writing: Writing) -> str:
    values = [choice.value for choice in offered]
    if writing.audience in values:
        return writing.audience
    if writing.reply is not None and (wish := audience_for(writing.reply, room.me, offered)):
        return wish
    begin = first(room, offered)
    return begin.value if begin else ""


def _checklist(viewer: Viewer, session: Session, request: HttpRequest, agent: str) -> list[Item]:
    if not facts.is_demo(session):
        return []
    items = checklist(facts.gather(viewer, session, request.session), agent)
    return [] if is_complete(items) else items
