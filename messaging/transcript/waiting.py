"""What waits before a session's agents, and what lately ended without being heard. Viewer first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from messaging.domain.audience import Kind
from messaging.domain.disposition import UNHEARD, WAITING
from messaging.mailbox.models import Delivery, Purpose
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import Session
from messaging.transcript import build, visible
from messaging.transcript.models import Message
from messaging.transcript.view import DeliveryView, MessageView

#: Deliveries shown at once.
MOST = 50
#: How long what ended unheard is pointed out.
LATELY = timedelta(minutes=15)
_ASKED = (Kind.ACTIVE_AGENT, Kind.AGENTS)


@dataclass(frozen=True, slots=True)
class Waits:
    """A message with its delivery that waits, or ended unheard."""

    message: MessageView
    delivery: DeliveryView


def waiting(viewer: Viewer, session: Session, *, everybodys: bool) -> list[Waits]:
    """What waits before agents, in their order: the viewer's own, or `everybodys`. Raises Hidden.

    What is told to everyone waits for nothing; it is not among it.
    """
    access.role(viewer, session)
    rows = Delivery.objects.filter(state__in=WAITING, seat__session=session.id, audience__in=_ASKED)
    rows = rows if everybodys else rows.filter(author=viewer.handle)
    rows = rows.exclude(purpose=Purpose.CONTEXT).select_related("seat")
    return _standing(viewer, list(rows.order_by("seat__handle", "place")[:MOST]))


def unheard(viewer: Viewer, session: Session) -> list[Waits]:
    """The viewer's own that lately ended without being heard, and was not sent again since. Raises Hidden."""
    access.role(viewer, session)
    since = timezone.now() - LATELY
    rows = Delivery.objects.filter(state__in=UNHEARD, retryable=False, changed_at__gt=since, audience__in=_ASKED)
    rows = rows.filter(seat__session=session.id, author=viewer.handle).select_related("seat")
    found = _standing(viewer, list(rows.order_by("-changed_at")[:MOST])[::-1])
    return [one for one in found if one.message.deleted_at is None and _is_last(one)]


def _is_last(one: Waits) -> bool:
    own = [delivery for delivery in one.message.deliveries if delivery.agent == one.delivery.agent]
    return own[-1].id == one.delivery.id


def _standing(viewer: Viewer, rows: list[Delivery]) -> list[Waits]:
    messages = visible.to(viewer, Message.objects.filter(id__in={row.message for row in rows}))
    views = {view.id: view for view in build.messages(build.joined(messages))}
    found = [(views.get(str(row.message)), row) for row in rows]
    return [Waits(view, build.delivery_view(row)) for view, row in found if view is not None]
