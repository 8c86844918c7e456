"""Changes how a source is reached, or whether it is in use."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from messaging.actions import audit, house_rights, source_terms
from messaging.domain.audit import Verb
from messaging.mailbox.models import Source
from messaging.roster.access import Hidden, Viewer

CHANGEABLE = ("settings", "enabled")


@transaction.atomic
def change_source(who: Viewer | None, name: str, **changes: Any) -> Source:
    """The source with the changes named, of `CHANGEABLE`; what is said as it stands is none. `settings` come whole.

    What was found by other settings is found no more, until the agents' process has looked again.
    who: one of the staff, None for the command line. Raises Forbidden, Hidden, or ValidationError by the field.
    """
    by = house_rights.demand(who)
    source = Source.objects.select_for_update(no_key=True).filter(name=name).first()
    if source is None:
        raise Hidden
    before = {field: getattr(source, field) for field in CHANGEABLE if field in changes}
    before = {field: old for field, old in before.items() if old != changes[field]}
    for field in before:
        setattr(source, field, changes[field])
    source_terms.check(source)
    if before:
        if "settings" in before:
            source.tools, source.fault, source.listed_at = [], "", None
        source.asked_at = timezone.now()
        source.save(update_fields=["settings", "enabled", "tools", "fault", "listed_at", "asked_at"])
        told = source_terms.told(before, source)
        audit.note(Verb.SOURCE, by, None, source.id, source=name, change="settings", **told)
    return source
