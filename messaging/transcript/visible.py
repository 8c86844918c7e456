"""Which messages a person may see: the one filter behind every list, page, frame and count."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from messaging.domain.audience import AGENT_BOUND, Kind
from messaging.roster.access import Viewer
from messaging.transcript.models import Addressee, Message

FILTERS = {"all": Q(), "human": ~Q(audience__in=AGENT_BOUND), "agent": Q(audience__in=AGENT_BOUND)}


def to(viewer: Viewer, rows: QuerySet[Message]) -> QuerySet[Message]:
    """Of these messages of sessions that the viewer is in, those that it may see.

    All people of a session see every class but direct messages, which their author and targets alone see.
    """
    addressed = Addressee.objects.filter(message=OuterRef("pk"), person=viewer.id)
    return rows.filter(~Q(audience=Kind.PEOPLE) | Q(person=viewer.id) | Exists(addressed))
