"""What somebody is asked, and what became of what an agent asked."""

from __future__ import annotations

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone

from messaging.domain.ask import AskKind, AskState
from messaging.roster.access import AgentCaller, Viewer
from messaging.roster.models import Membership
from messaging.transcript.models import Ask
from messaging.transcript.view import AskView


def of(viewer: Viewer, *, only_open: bool = False) -> QuerySet[Ask]:
    """The asks that name this person, and nobody else's: open ones first, each with the newest first.

    Questions of sessions that they have left, or that are closed, are left out, and everything is for whose account is.
    """
    here = Membership.objects.filter(
        session=OuterRef("session"), session__closed_at=None, person=viewer.id, left_at=None
    )
    rows = Ask.objects.filter(Q(kind=AskKind.APPROVAL) | Exists(here), person=viewer.id)
    rows = rows.exclude(person__account__is_active=False).select_related("agent__handle")
    rows = _still_open(rows) if only_open else rows
    ended = Case(When(state=AskState.OPEN, then=Value(0)), default=Value(1))
    return rows.order_by(ended, "-made_at", "id")


def made_by(agent: AgentCaller, *, only_open: bool = False) -> QuerySet[Ask]:
    """What a connected agent asked outside of turns, the newest first."""
    rows = Ask.objects.filter(agent=agent.id, kind=AskKind.QUESTION, call=None)
    rows = _still_open(rows) if only_open else rows
    return rows.select_related("agent__handle").order_by("-made_at", "id")


def _still_open(rows: QuerySet[Ask]) -> QuerySet[Ask]:
    return rows.filter(state=AskState.OPEN, expires_at__gt=timezone.now())


def view(row: Ask) -> AskView:
    """An ask as it stands, for whom it names. The row brings its agent."""
    return AskView(
        str(row.id),
        str(row.session_id),
        row.kind,
        row.agent.handle.spelled,
        row.agent.name,
        row.asker,
        row.tool,
        row.content,
        row.digest,
        list(row.options),
        row.state,
        row.answer,
        row.made_at,
        row.expires_at,
    )
