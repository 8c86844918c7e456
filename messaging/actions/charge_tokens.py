"""Charges what a session's requests to models used up, as far as it was noted since."""

from __future__ import annotations

from collections import Counter
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from messaging.journal import clock as clocks
from messaging.mailbox.models import Usage
from messaging.roster import budget
from messaging.roster.budget import Books


def charge_tokens(session: UUID) -> None:
    """Each request once, to the budget of the agent's owner. Repeating it does nothing.

    What is used up is charged to the day on which the house learns of it, even beyond what the day had left.
    """
    if not _uncharged(session).exists():
        return
    with transaction.atomic():
        # Whoever else collects this session waits here, and then finds nothing.
        clocks.lock([session])
        rows = list(_uncharged(session).values_list("id", "seat__agent", "input_tokens", "output_tokens"))
        tokens: Counter[UUID] = Counter()
        for _, agent, given, answered in rows:
            tokens[agent] += given + answered
        books, now = Books.holding(budget.of(tokens.keys())), timezone.now()
        for agent, count in tokens.items():
            books.charge(agent, now, tokens=count)
        books.close()
        Usage.objects.filter(id__in=[key for key, *_ in rows]).update(charged_at=now)


def _uncharged(session: UUID) -> QuerySet[Usage]:
    return Usage.objects.filter(seat__session=session, charged_at=None)
