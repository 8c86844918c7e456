"""Questions to one person, and where each was shown."""

import uuid

from django.db import models
from django.db.models import Q

from messaging.domain.ask import AskKind, AskState, Surface
from messaging.roster.models import Agent, Person, Session


class Ask(models.Model):
    """What `agent` asks `person` of `session`: answered once, by that person alone, while it is open.

    `content` is exactly what is shown: of an approval the call in full, of a question its text; `digest` is its
    SHA-256. `call` is the tool call that waits for it, `asker` the handle of whoever set the agent to work. `answer` is
    one of `options`. Only state, answer and end change.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="asks")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="asks")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="asks")
    kind = models.CharField(max_length=8, choices=[(one.value, one.value) for one in AskKind])
    call = models.UUIDField(null=True, unique=True)
    asker = models.CharField(max_length=64, blank=True)
    tool = models.CharField(max_length=64, blank=True)
    content = models.TextField()
    digest = models.CharField(max_length=64)
    options = models.JSONField()
    state = models.CharField(max_length=16, choices=[(one.value, one.value) for one in AskState])
    answer = models.CharField(max_length=80, blank=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["expires_at"], name="ask_open", condition=Q(state="open")),
            models.Index(fields=["person", "made_at"], name="ask_person"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"


class AskShown(models.Model):
    """A surface on which an ask was shown to the person whom it names: it may be answered there."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    ask = models.ForeignKey(Ask, on_delete=models.PROTECT, related_name="shown")
    surface = models.CharField(max_length=16, choices=[(one.value, one.value) for one in Surface])
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["ask", "surface"], name="askshown_surface")]

    def __str__(self) -> str:
        return self.surface


class AskStep(models.Model):
    """One step of an ask, which the journal's entry points at."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    ask = models.ForeignKey(Ask, on_delete=models.PROTECT, related_name="steps")
    state = models.CharField(max_length=16, choices=[(one.value, one.value) for one in AskState])
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["ask", "state"], name="askstep_state")]

    def __str__(self) -> str:
        return self.state
