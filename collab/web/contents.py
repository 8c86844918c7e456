"""What the session page shows, loaded through its viewer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import uuid4

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest

from collab.web import progress, viewing
from collab.web.checklist import Item, checklist, is_complete
from collab.web.presenters import live
from collab.web.presenters.choice import Choice
from collab.web.presenters.choices import choices, first
from collab.web.presenters.company import Company
from collab.web.presenters.reply import audience_for
from collab.web.presenters.rows import SHARE_A_HEAD, rows
from collab.web.presenters.tray import tray
from messaging.actions.show_asks import show_asks
from messaging.domain.ask import Surface
from messaging.domain.capability import Capability
from messaging.domain.turn import TurnState
from messaging.journal import clock
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import Installation, Session
from messaging.transcript import asks, marks, read
from messaging.transcript.view import MessageView, TurnView

_TO_AGENTS = frozenset({Capability.POST_AGENT, Capability.DISPATCH_AGENT})
SHOWN = {"all": "All", "human": "People", "agent": "Agents"}


@dataclass(frozen=True, slots=True)
class Writing:
    """The composer's state: what stands in it and why it came back."""

    text: str = ""
    audience: str = ""
    way: str = ""
    problem: str = ""
    delivery: str = "queue"
    reply: MessageView | None = None
    client_key: str = field(default_factory=lambda: str(uuid4()))


def frame(viewer: Viewer, session: Session, request: HttpRequest, writing: Writing) -> dict[str, Any]:
    """Everything around the transcript."""
    company = viewing.speaking(viewer, session)
    offered, chosen = _choices(company, writing)
    mine = access.sessions(viewer)
    active = next((agent for agent in company.agents if agent.active), None)
    active_name = active.name if active else ""
    return {
        "session": session,
        "me": viewer,
        "sessions": mine,
        "reach": {str(one.id) for one in mine},
        "parent": next((one for one in mine if one.id in (session.parent_id, session.fork_of_id)), None),
        "agents": company.agents,
        "people": [m for m in company.members if m.kind == "human"],
        "choices": offered,
        "chosen": chosen,
        "client_key": writing.client_key,
        "text": writing.text,
        "problem": writing.problem,
        "reply": writing.reply,
        "active_agent": active,
        "role": company.role,
        "agents_out_of_reach": bool(company.agents) and not company.may & _TO_AGENTS,
        "takes_nothing": "" if company.active_takes or Capability.POST_AGENT not in company.may else active_name,
        "checklist": _checklist(viewer, session, request, active.name, offered) if active else [],
        "who": company,
        "may": " ".join(sorted(company.may)),
        "delivery": writing.delivery,
        "bring_to": bring_to(company),
        "hosted": [agent.name for agent in company.agents if agent.agent_kind == "hosted"],
        **asks_here(viewer, session),
        **_at_work(viewer, session, company),
    }


def asks_here(viewer: Viewer, session: Session) -> dict[str, Any]:
    """What agents ask the viewer here, and how much elsewhere."""
    here = show_asks(viewer, Surface.WEB, only_open=True, session=session.id)
    elsewhere = asks.of(viewer, only_open=True).exclude(session=session.id).count()
    return {"session": session, "me": viewer, "asks": here, "asks_elsewhere": elsewhere}


def bring_to(company: Company) -> str:
    """Whom people-only messages may be brought to: an agent's name, or in general; empty where nobody may be."""
    if Capability.RECLASSIFY not in company.may or not company.agents:
        return ""
    active = next((agent.name for agent in company.agents if agent.active), "")
    if Capability.POST_AGENT in company.may and active:
        return active
    return "an agent" if {Capability.POST_AGENT, Capability.DISPATCH_AGENT} & company.may else ""


def _at_work(viewer: Viewer, session: Session, company: Company) -> dict[str, Any]:
    """The turns, what waits behind them, and for the composer whom this viewer may steer."""
    turns = read.turns(viewer, session)
    active = next((agent.handle for agent in company.agents if agent.active and agent.agent_kind == "hosted"), "")
    runs = [turn for turn in turns if turn.state == TurnState.RUNNING]
    return {
        "turns": _told(turns),
        "steerable": active if Capability.STEER in company.may else "",
        "at_work": next((turn for turn in runs if turn.agent == active), None),
        **_tray(viewer, session, company, {turn.agent for turn in runs}),
    }


def tray_alone(viewer: Viewer, session: Session) -> dict[str, Any]:
    """What the tray shows, and nothing else: open pages ask for it whenever something happens."""
    busy = set(read.running(viewer, session).values())
    return {"session": session, **_tray(viewer, session, viewing.company(viewer, session), busy)}


def _tray(viewer: Viewer, session: Session, company: Company, busy: AbstractSet[str]) -> dict[str, Any]:
    lines = {name: tray(found, company, busy) for name, found in viewing.standing(viewer, session, company).items()}
    return {**lines, "paused": bool(company.agents) and Installation.paused_since() is not None}


def transcript(viewer: Viewer, session: Session, before: int | None, show: str) -> dict[str, Any]:
    """The newest messages, or those before one. The clock is read first: what comes meanwhile is sent again
    by the socket, which does no harm; the other way round it would be missed."""
    seq = clock.seq_of(session.id)
    page = read.page(viewer, session, before=before, only=show)
    known = marks.of(page.items)
    return {
        "seq": seq,
        "rows": rows(page.items, known),
        "earlier": page.next,
        "is_newest": before is None,
        "show": show,
        "shown": SHOWN.items(),
        "says": json.dumps(live.SAYS),
        "share_a_head": int(SHARE_A_HEAD.total_seconds()),
    }


def _told(turns: Sequence[TurnView]) -> str:
    """Turns that run, gave no answer or were steered, for the words beside their messages."""
    told = [asdict(turn) for turn in turns if turn.state != TurnState.FINISHED or turn.steers]
    return json.dumps(told, cls=DjangoJSONEncoder)


def _choices(company: Company, writing: Writing) -> tuple[list[Choice], str]:
    """What is offered, and which of it the composer stands on. Words for whom cannot be spoken to any more stand on
    nothing: they must not reach others by a slip."""
    direct = writing.reply is not None and writing.reply.audience_kind == "participant"
    wish = writing.audience
    if writing.reply is not None and not wish:
        wish = audience_for(writing.reply, company.me, choices(company))
    offered = choices(company, wish)
    if wish in [choice.value for choice in offered]:
        return [choice.standing(writing.way) if choice.value == wish else choice for choice in offered], wish
    if direct or wish:
        return offered, ""
    begin = first(company, offered)
    return offered, begin.value if begin else ""


def _checklist(
    viewer: Viewer, session: Session, request: HttpRequest, agent: str, offered: Sequence[Choice]
) -> list[Item]:
    """Whoever may not ask the agent is not told to."""
    if not progress.is_demo(session):
        return []
    may_ask = any(choice.value == "active_agent" for choice in offered)
    items = checklist(progress.of(viewer, session, request.session), agent, may_ask=may_ask)
    return [] if is_complete(items) else items
