"""What both histories share: a row for each step, refused by the database where the table has no such move."""

import uuid
from functools import reduce
from operator import or_

from django.db import models
from django.db.models import Q

from messaging.domain.table import Table


def legal_pairs(table: Table) -> Q:
    """The condition that a step's two states stand in the table."""
    return reduce(or_, (Q(before=before, after=after) for before, after in table.pairs()))


class Step(models.Model):
    """One step. `by` names who made it: `house`, `agents`, or a handle. `journaled` is the house's mark."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    step = models.PositiveIntegerField()
    before = models.CharField(max_length=24, blank=True)
    after = models.CharField(max_length=24)
    reason = models.CharField(max_length=48, blank=True)
    by = models.CharField(max_length=64)
    at = models.DateTimeField()
    journaled = models.BooleanField(default=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.step}: {self.before or 'nothing'} -> {self.after}"
