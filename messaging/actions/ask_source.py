"""Has a source looked at again: what it says of its tools now is what agents are told of them."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from messaging.actions import audit, house_rights
from messaging.domain.audit import Verb
from messaging.mailbox.models import Source
from messaging.roster.access import Hidden, Viewer


@transaction.atomic
def ask_source(who: Viewer | None, name: str) -> None:
    """The agents' process looks soon, if the source is in use.

    who: one of the staff, None for the command line. Raises Forbidden and Hidden.
    """
    by = house_rights.demand(who)
    source = Source.objects.filter(name=name).only("id").first()
    if source is None:
        raise Hidden
    Source.objects.filter(id=source.id).update(asked_at=timezone.now())
    audit.note(Verb.SOURCE, by, None, source.id, source=name, change="asked")
