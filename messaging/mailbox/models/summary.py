"""What a seat's own model made of a stretch of what the seat was shown and said."""

import uuid

from django.db import models
from django.db.models import F, Q

from messaging.mailbox.models.seat import Seat


class Summary(models.Model):
    """Stands in later requests for the seat's numbers `first` to `last`, both included.

    `level` 0 is made from rows; one of a higher level is made from those of the level below, which name it in `into`.
    An empty text says that nothing of the stretch may be told any more. `withheld_at` is the house's: something in it
    was taken back, so it goes into nothing, and what is left of the stretch is summed up anew.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="summaries")
    level = models.PositiveSmallIntegerField()
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    text = models.TextField()
    into = models.UUIDField(null=True)
    made_at = models.DateTimeField()
    withheld_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "summaries"
        constraints = [
            models.UniqueConstraint(
                fields=["seat", "level", "first"], condition=Q(withheld_at=None), name="summary_one_of_a_stretch"
            ),
            models.CheckConstraint(condition=Q(first__gte=1, first__lte=F("last")), name="summary_stretch"),
        ]
        indexes = [
            models.Index(fields=["seat", "last"], name="summary_told", condition=Q(withheld_at=None, into=None)),
        ]

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"
