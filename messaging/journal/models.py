"""One clock a session, and one entry for each thing that happened in it."""

import uuid

from django.db import models


class Kind(models.TextChoices):
    """What an entry's `ref` points at."""

    MESSAGE = "message"
    DISPOSITION = "disposition"
    TURN = "turn"
    ATTEMPT = "attempt"
    MEMBER = "member"
    REVISION = "revision"
    RECLASSIFICATION = "reclassified"
    TOMBSTONE = "tombstone"
    SESSION = "session"
    ASK = "ask"


class Clock(models.Model):
    """The row that numbers a session: locked while it counts, so numbers follow the order of commits.

    `epoch` rises with every change of rights; what is cached against it is good while it stays.
    """

    session = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    seq = models.PositiveBigIntegerField(default=0)
    epoch = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.session} at {self.seq}"


class Entry(models.Model):
    """Number `seq` of a session: something of `kind`, found by `ref`. No content stands here."""

    session = models.UUIDField()
    seq = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=16, choices=Kind.choices)
    ref = models.UUIDField()
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(fields=["session", "seq"], name="entry_seq"),
            models.UniqueConstraint(fields=["kind", "ref"], name="entry_once"),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"
