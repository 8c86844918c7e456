"""Registers a source of tools. No agent has it before somebody grants it."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from messaging.actions import audit, house_rights, source_terms
from messaging.actions.enrol import Taken
from messaging.domain.audit import Verb
from messaging.mailbox.models import Source
from messaging.roster.access import Viewer


@transaction.atomic
def register_source(who: Viewer | None, name: str, *, transport: str, settings: dict[str, Any]) -> Source:
    """The new source; the agents' process looks at it soon. Name and transport are for life.

    who: one of the staff, None for the command line. Raises Forbidden, Taken, or ValidationError by the field.
    """
    by = house_rights.demand(who)
    source = Source(name=name, transport=transport, settings=settings, asked_at=timezone.now())
    source_terms.check(source)
    try:
        with transaction.atomic():
            source.save(force_insert=True)
    except IntegrityError as error:
        raise Taken(f"{name} is a source already") from error
    audit.note(Verb.SOURCE, by, None, source.id, source=name, change="added")
    return source
