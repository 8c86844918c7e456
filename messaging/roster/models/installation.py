"""The installation's one row."""

from datetime import datetime

from django.db import models

from messaging.roster.models.person import Person
from messaging.sql import find
from messaging.sql.column import Row


class Installation(models.Model):
    """`owner` is the one person whom limits and approvals belong to; `epoch` rises when a token or account changes.

    While `agents_paused_at` is set, no hosted agent is given anything new.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    owner = models.ForeignKey(Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    epoch = models.PositiveBigIntegerField(default=0)
    agents_paused_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="installation_single")]

    def __str__(self) -> str:
        return "the installation"

    @classmethod
    def the(cls) -> "Installation":
        """The one row, made on first need."""
        return cls.objects.get_or_create(id=1)[0]

    @classmethod
    def epoch_now(cls) -> int:
        """The epoch, without making the row."""
        return cls.epoch_in(find.rows(cls.epoch_query()))

    @classmethod
    def epoch_query(cls) -> find.Query:
        """The question for the epoch, and for the pause, for who asks others along with it."""
        return find.select(cls, ("id",), [(1,)], ("epoch", "agents_paused_at"))

    @staticmethod
    def epoch_in(rows: list[Row]) -> int:
        """The epoch that it answers with."""
        return rows[0][0] if rows else 0

    @staticmethod
    def paused_in(rows: list[Row]) -> bool:
        """Whether it answers that agents are paused."""
        return bool(rows) and rows[0][1] is not None

    @classmethod
    def paused_since(cls) -> datetime | None:
        """Since when agents are paused, if they are; without making the row."""
        return cls.objects.filter(id=1).values_list("agents_paused_at", flat=True).first()
