"""One message before one agent, and every step it took."""

import uuid

from django.db import models
from django.db.models import Q

from messaging.domain.audience import AGENT_BOUND
from messaging.domain.disposition import TABLE, Disposition
from messaging.mailbox.models.seat import Seat
from messaging.mailbox.models.step import Step, legal_pairs

_STATES = [(state.value, state.value) for state in Disposition]


class Purpose(models.TextChoices):
    """Input starts a turn; context goes along with the next input; mail waits to be taken."""

    INPUT = "input"
    CONTEXT = "context"
    MAIL = "mail"


class Delivery(models.Model):
    """The record of what one agent is, or was, shown: never changed but in its state.

    `place` orders a seat's rows; the row of an edited text takes the place of the one it replaces, so only one row of a
    place ever waits. `revision` is the message's that it holds. `number` is the seat's own, given when the row is first
    shown. `turn` is the one that took it, or that it is to steer. `cleared_at` and `withheld_at` are the house's; an
    agent claims cleared rows only. `dispatch` is the mode that was wished for, `consults` the agent whom the turn is to
    ask first; `hops` counts the agents' turns that led here since a person spoke, `depth` how deep the turn lies within
    others, `root` is the message of that person; null: itself.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="deliveries")
    message = models.UUIDField(db_index=True)
    place = models.PositiveIntegerField()
    revision = models.PositiveIntegerField(default=1, db_default=1)
    purpose = models.CharField(max_length=16, choices=Purpose.choices)
    author = models.CharField(max_length=64)
    author_kind = models.CharField(max_length=16)
    author_name = models.CharField(max_length=80)
    text = models.TextField()
    audience = models.CharField(max_length=16)
    to = models.JSONField(default=list)
    on_behalf_of = models.CharField(max_length=200, blank=True)
    re = models.UUIDField(null=True)
    dispatch = models.CharField(max_length=16, blank=True, default="", db_default="")
    consults = models.CharField(max_length=64, blank=True, default="", db_default="")
    hops = models.PositiveSmallIntegerField(default=0, db_default=0)
    depth = models.PositiveSmallIntegerField(default=0, db_default=0)
    root = models.UUIDField(null=True)
    said_at = models.DateTimeField()
    state = models.CharField(max_length=24, choices=_STATES)
    step = models.PositiveIntegerField()
    reason = models.CharField(max_length=48, blank=True)
    retryable = models.BooleanField(default=False)
    turn = models.UUIDField(null=True)
    number = models.PositiveIntegerField(null=True)
    cleared_at = models.DateTimeField(null=True)
    withheld_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["seat", "place", "revision"], name="delivery_place_revision"),
            models.UniqueConstraint(fields=["seat", "number"], name="delivery_number"),
            models.CheckConstraint(condition=Q(state__in=TABLE.states), name="delivery_state"),
            models.CheckConstraint(condition=Q(audience__in=list(AGENT_BOUND)), name="delivery_agent_bound"),
        ]
        indexes = [
            models.Index(
                fields=["seat", "place"],
                name="delivery_waiting",
                condition=Q(state__in=["accepted", "queued", "steering_requested"]),
            ),
            models.Index(fields=["root"], name="delivery_root", condition=Q(hops__gt=0)),
            models.Index(fields=["turn"], name="delivery_steers", condition=Q(state="steering_requested")),
        ]

    def __str__(self) -> str:
        return f"{self.id} {self.state}"


class Transition(Step):
    """One step of one delivery."""

    delivery = models.ForeignKey(Delivery, on_delete=models.PROTECT, related_name="transitions")
    retryable = models.BooleanField(default=False)
    turn = models.UUIDField(null=True)

    class Meta(Step.Meta):
        constraints = [
            models.UniqueConstraint(fields=["delivery", "step"], name="transition_step"),
            models.CheckConstraint(condition=legal_pairs(TABLE), name="transition_legal"),
        ]
        indexes = [models.Index(fields=["at"], name="transition_unjournaled", condition=Q(journaled=False))]
