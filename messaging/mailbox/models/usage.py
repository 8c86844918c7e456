"""What requests to models used up."""

import uuid

from django.db import models
from django.db.models import Q

from messaging.mailbox.models.seat import Seat
from messaging.mailbox.models.turn import Turn


class Usage(models.Model):
    """Tokens of one request, as the model's server counted them. `turn` is null where it was made between turns.

    `purpose` says what the request was for: an answer, a summary, a title. `charged_at` is the house's mark.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="usages")
    turn = models.ForeignKey(Turn, on_delete=models.PROTECT, null=True, related_name="usages")
    attempt = models.PositiveIntegerField(default=0)
    purpose = models.CharField(max_length=16)
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    at = models.DateTimeField()
    charged_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["seat", "at"], name="usage_seat"),
            models.Index(fields=["at"], name="usage_uncharged", condition=Q(charged_at=None)),
        ]

    def __str__(self) -> str:
        return f"{self.purpose}: {self.input_tokens} and {self.output_tokens}"
