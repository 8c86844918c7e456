"""Who a viewer is in a session, as the presenters want to know it, and what stands there for them."""

from __future__ import annotations

from dataclasses import replace

from collab.web.presenters.company import Company
from messaging.actions.targets import agents
from messaging.domain.capability import Capability
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import Session
from messaging.transcript import waiting
from messaging.transcript.waiting import Waits


def company(viewer: Viewer, session: Session) -> Company:
    """The session's members, and what the viewer may do among them."""
    may = session.granted(access.role(viewer, session))
    to_agents = session.answers == Session.Answers.EVERYONE
    return Company(viewer.handle, access.members(viewer, session), may, to_agents)


def speaking(viewer: Viewer, session: Session) -> Company:
    """The same, with how each agent may be called: for whoever is to be offered hearers."""
    called = agents(viewer, session)
    modes = {one.id: one.modes for one in called}
    return replace(company(viewer, session), modes=modes, active_takes=any(one.active for one in called))


def standing(viewer: Viewer, session: Session, here: Company) -> dict[str, list[Waits]]:
    """What waits before agents and is the viewer's to withdraw, and what of theirs lately ended unheard."""
    everybodys = here.reaches and Capability.SUPERSEDE in here.may
    return {
        "waiting": waiting.waiting(viewer, session, everybodys=everybodys),
        "unheard": waiting.unheard(viewer, session),
    }
