"""An agent in a session, with all that its process needs to know copied in."""

import uuid

from django.db import models


class SeatKind(models.TextChoices):
    """Where the agent runs: in our agents' process, or elsewhere."""

    HOSTED = "hosted"
    CONNECTED = "connected"


class Seat(models.Model):
    """One agent in one session.

    `placed` counts deliveries put before it (their order), `shown` what it was shown or said: the
    seat's own gapless numbers, so that nothing an agent sees counts what it may not see. A hosted agent started afresh
    looks back no further than past number `fresh_from`. `policy` is as `messaging.domain.dispatch.policy` reads it.
    `titles`: it is to propose a title for its session. `sources` are the names of those that are granted here,
    `placement` that of the fleet queue which serves it, `owner` the handle of the installation's owner: a turn on that
    person's own input has the owner's rights.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.UUIDField(db_index=True)
    agent = models.UUIDField()
    handle = models.CharField(max_length=64)
    name = models.CharField(max_length=80)
    kind = models.CharField(max_length=16, choices=SeatKind.choices)
    provider = models.CharField(max_length=32, blank=True)
    settings = models.JSONField(default=dict, blank=True)
    policy = models.JSONField(null=True, blank=True)
    titles = models.BooleanField(default=False, db_default=False)
    sources = models.JSONField(default=list, db_default=[], blank=True)
    placement = models.CharField(max_length=32, blank=True, default="", db_default="")
    owner = models.CharField(max_length=64, blank=True, default="", db_default="")
    open = models.BooleanField(default=True)
    placed = models.PositiveIntegerField(default=0)
    shown = models.PositiveIntegerField(default=0)
    fresh_from = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "agent"], name="seat_one_per_agent")]

    def __str__(self) -> str:
        return f"{self.handle} ({self.id})"
