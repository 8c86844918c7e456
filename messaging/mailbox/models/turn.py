"""An agent's run over deliveries, each try at it, and what it said."""

import uuid

from django.db import models
from django.db.models import Q

from messaging.domain.turn import TABLE, TurnState, Window
from messaging.mailbox.models.delivery import Delivery
from messaging.mailbox.models.seat import Seat
from messaging.mailbox.models.step import Step, legal_pairs


class Turn(models.Model):
    """One run. Who holds `lease_owner` until `lease_until` may write for it, nobody else.

    A parked one waits for the house, held by nobody: `not_before` says that it may go on.
    `not_before` delays the next attempt. `attempts` counts the tries begun. `window`: whether it takes steering.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="turns")
    input = models.ForeignKey(Delivery, on_delete=models.PROTECT, related_name="turns")
    state = models.CharField(max_length=16, choices=[(state.value, state.value) for state in TurnState])
    step = models.PositiveIntegerField()
    reason = models.CharField(max_length=48, blank=True)
    retryable = models.BooleanField(default=False)
    attempts = models.PositiveIntegerField(default=0)
    window = models.CharField(
        max_length=8, choices=[(one.value, one.value) for one in Window], default=Window.OPEN, db_default=Window.OPEN
    )
    lease_owner = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    not_before = models.DateTimeField(null=True)
    parked_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["seat"], condition=Q(state="running"), name="turn_one_running"),
            models.CheckConstraint(condition=Q(state__in=TABLE.states), name="turn_state"),
        ]

    def __str__(self) -> str:
        return f"{self.id} {self.state}"


class TurnStep(Step):
    """One step of one turn."""

    turn = models.ForeignKey(Turn, on_delete=models.PROTECT, related_name="steps")

    class Meta(Step.Meta):
        constraints = [
            models.UniqueConstraint(fields=["turn", "step"], name="turnstep_step"),
            models.CheckConstraint(condition=legal_pairs(TABLE), name="turnstep_legal"),
        ]
        indexes = [models.Index(fields=["at"], name="turnstep_unjournaled", condition=Q(journaled=False))]


class Attempt(models.Model):
    """One try at a turn. `acted`: a tool that acts had begun, so that it is never tried again.

    `journaled` is the house's mark on one that failed.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    turn = models.ForeignKey(Turn, on_delete=models.PROTECT, related_name="tries")
    n = models.PositiveIntegerField()
    state = models.CharField(max_length=16, choices=[(state.value, state.value) for state in TurnState])
    reason = models.CharField(max_length=48, blank=True)
    retryable = models.BooleanField(default=False)
    acted = models.BooleanField(default=False)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    journaled = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["turn", "n"], name="attempt_n")]
        indexes = [
            models.Index(fields=["ended_at"], name="attempt_unjournaled", condition=Q(state="failed", journaled=False))
        ]

    def __str__(self) -> str:
        return f"{self.n} {self.state}"


class Utterance(models.Model):
    """What a seat said. A turn says pieces while it streams (`n` counts within the attempt), then one whole answer.

    Where it is steered, each model step before the last is kept as a step of its attempt, said when the seat had been
    shown or had said number `after`; the answer holds them all. `message` is the house's mark: the message that an
    answer became, or its own id where it was refused. `number` is the seat's own. `withheld_at` is the house's, too.
    """

    class Kind(models.TextChoices):
        """A piece is shown live and forgotten, a step kept while its turn runs; an answer is posted; a post is what a
        connected agent said itself; a title, made of the seat's numbers up to `after`, is proposed."""

        PIECE = "piece"
        STEP = "step"
        ANSWER = "answer"
        POST = "post"
        TITLE = "title"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    turn = models.ForeignKey(Turn, on_delete=models.PROTECT, null=True, related_name="utterances")
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="utterances")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    attempt = models.PositiveIntegerField(default=0)
    n = models.PositiveIntegerField(default=0)
    text = models.TextField()
    number = models.PositiveIntegerField(null=True)
    after = models.PositiveIntegerField(null=True)
    message = models.UUIDField(null=True)
    said_at = models.DateTimeField()
    withheld_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["turn", "kind", "attempt", "n"], name="utterance_n"),
            models.UniqueConstraint(fields=["turn"], condition=Q(kind="answer"), name="utterance_one_answer"),
        ]
        indexes = [
            models.Index(fields=["said_at"], name="utterance_uncollected", condition=Q(kind="answer", message=None)),
            models.Index(fields=["seat", "number"], name="utterance_number", condition=Q(number__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.n} of {self.turn_id}"
