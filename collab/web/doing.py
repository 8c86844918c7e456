"""Who a viewer is in a session, as the presenters want to know it."""

from __future__ import annotations

from collab.web.presenters.company import Company
from collab.web.presenters.deeds import Doer
from messaging.domain.capability import Capability, Role, reaches_others
from messaging.domain.turn import TurnState
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import Session
from messaging.transcript import read, waiting
from messaging.transcript.view import TurnView
from messaging.transcript.waiting import Standing


def company(viewer: Viewer, session: Session) -> Company:
    """The session's members, and what the viewer may do among them."""
    may = session.granted(access.role(viewer, session))
    to_agents = session.answers == Session.Answers.EVERYONE
    return Company(viewer.handle, access.members(viewer, session), may, to_agents)


def doer(here: Company) -> Doer:
    """The viewer as somebody who does something to messages."""
    return Doer(here.me, here.may, reaches_others(Role(here.role)))


def running(viewer: Viewer, session: Session) -> list[TurnView]:
    """The turns that run now."""
    return [turn for turn in read.turns(viewer, session) if turn.state == TurnState.RUNNING]


def standing(viewer: Viewer, session: Session, who: Doer) -> dict[str, list[Standing]]:
    """What waits before agents and is the viewer's to withdraw, and what of theirs lately ended unheard."""
    everybodys = who.reaches and Capability.SUPERSEDE in who.may
    return {
        "waiting": waiting.waiting(viewer, session, everybodys=everybodys),
        "unheard": waiting.unheard(viewer, session),
    }
