"""What was done to a message after it was said: each deed a row that the journal's entry points at, never changed."""

import uuid

from django.db import models
from django.db.models import Q

from messaging.domain.audience import Kind
from messaging.roster.models import Person
from messaging.transcript.models.message import Message


class Revision(models.Model):
    """One text of a message. Number 1 is what was said first; it is written down when the message is first edited."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    message = models.ForeignKey(Message, on_delete=models.PROTECT, related_name="revisions")
    n = models.PositiveIntegerField()
    text = models.TextField()
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["message", "n"], name="revision_n")]

    def __str__(self) -> str:
        return f"{self.n} of {self.message_id}"


class Tombstone(models.Model):
    """That a message was deleted, and by whom. `reason` is asked of whoever deletes what another said."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    message = models.OneToOneField(Message, on_delete=models.PROTECT, related_name="tombstone")
    by = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.message_id)


class Reclassification(models.Model):
    """A deliberate change of who may hear a message, in its revision of that moment."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    message = models.ForeignKey(Message, on_delete=models.PROTECT, related_name="reclassifications")
    revision = models.PositiveIntegerField()
    before = models.CharField(max_length=16)
    before_targets = models.JSONField(default=list)
    after = models.CharField(max_length=16)
    after_targets = models.JSONField(default=list)
    by = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="reclassification_reason"),
            models.CheckConstraint(
                condition=Q(before__in=[kind.value for kind in Kind])
                & Q(after__in=[kind.value for kind in Kind if kind not in (Kind.PEOPLE, Kind.SYSTEM)]),
                name="reclassification_audience",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.before} -> {self.after}"
