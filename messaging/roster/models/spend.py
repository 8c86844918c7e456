"""What somebody has used up of a bounded thing."""

import uuid

from django.db import models


class Spend(models.Model):
    """`used` of `what` by `who` in the window that began at `window`."""

    who = models.UUIDField()
    what = models.CharField(max_length=32)
    window = models.DateTimeField()
    used = models.PositiveIntegerField(default=0)
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    class Meta:
        verbose_name_plural = "spending"
        constraints = [models.UniqueConstraint(fields=["who", "what"], name="spend_one_row")]

    def __str__(self) -> str:
        return f"{self.what}: {self.used}"
