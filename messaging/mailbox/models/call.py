"""What a model called in a turn, and what came of it."""

import uuid

from django.db import models
from django.db.models import Q

from messaging.domain.call import CallState
from messaging.mailbox.models.turn import Turn


class ToolCall(models.Model):
    """One call of a tool: the `n`-th in model step `step` of an attempt. `call_id` is the model's name for it.

    Written before the tool begins. `rows` are the deliveries and utterances whose texts stand in `result`: once one of
    them is taken back, the result is in no request any more. Of one that waits for the house `message` is the message
    that the house made of it, `answer` the delivery that holds what came back. One that needs somebody's word waits for
    `ask`; once that was given, `approved` is the digest of exactly what may run. All four are the house's marks.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    turn = models.ForeignKey(Turn, on_delete=models.PROTECT, related_name="calls")
    attempt = models.PositiveIntegerField()
    step = models.PositiveIntegerField()
    n = models.PositiveIntegerField()
    call_id = models.CharField(max_length=128)
    name = models.CharField(max_length=64)
    arguments = models.JSONField(default=dict)
    state = models.CharField(max_length=16, choices=[(one.value, one.value) for one in CallState])
    reason = models.CharField(max_length=48, blank=True)
    result = models.TextField(blank=True)
    rows = models.JSONField(default=list)
    message = models.UUIDField(null=True)
    answer = models.UUIDField(null=True)
    ask = models.UUIDField(null=True)
    approved = models.CharField(max_length=64, blank=True, default="", db_default="")
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    #: Set by who reads it for a request.
    taken_back = False

    class Meta:
        constraints = [models.UniqueConstraint(fields=["turn", "attempt", "step", "n"], name="toolcall_n")]
        indexes = [models.Index(fields=["began_at"], name="toolcall_waiting", condition=Q(state="waiting"))]

    def __str__(self) -> str:
        return f"{self.name} {self.state}"
