"""The installation's one row."""

from django.db import models

from messaging.roster.models.person import Person
from messaging.sql import find


class Installation(models.Model):
    """`owner` is the one person whom limits and approvals belong to; `epoch` rises when a token or account changes."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    owner = models.ForeignKey(Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    epoch = models.PositiveBigIntegerField(default=0)

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
        """The question for the epoch, for who asks others along with it."""
        return find.select(cls, ("id",), [(1,)], ("epoch",))

    @staticmethod
    def epoch_in(rows: list[tuple[int, ...]]) -> int:
        """The epoch that it answers with."""
        return rows[0][0] if rows else 0
