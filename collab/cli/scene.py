"""Where the demonstrations play: a session, the owner who speaks in it, and its active agent."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from collab.cli.main import Refused
from messaging.actions.draft import Draft, Refusal
from messaging.actions.post import post_one
from messaging.mailbox.models import Seat
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import Installation, Session

ELSEWHERE = "--session names another of the owner's sessions that has an active agent"


@dataclass(frozen=True, slots=True)
class Scene:
    """The owner, the session, the active agent's seat in it."""

    owner: Viewer
    session: Session
    seat: Seat

    def say(self, text: str, audience: str) -> UUID:
        """Post as the owner, by the one front door. Raises Refused."""
        try:
            return UUID(post_one(Draft(self.owner, self.session.id, text, audience)).message.id)
        except (Refusal, access.Forbidden) as refusal:
            raise Refused(f"the post was refused: {refusal.detail}") from None


def scene(slug: str) -> Scene:
    """Find owner, session and agent. Raises Refused for whatever is missing."""
    owner = Installation.the().owner
    if owner is None:
        raise Refused("nobody owns this installation: `earshot init` names an owner")
    viewer = access.viewer_of(owner)
    try:
        session = access.session(viewer, slug)
    except access.Hidden:
        raise Refused(f"{viewer.handle} is in no open session {slug}: {ELSEWHERE}") from None
    agent = session.active_agent
    seat = Seat.objects.filter(session=session.id, agent=agent.id, open=True).first() if agent else None
    if seat is None:
        raise Refused(f"the session {slug} has no active agent: {ELSEWHERE}")
    return Scene(viewer, session, seat)
