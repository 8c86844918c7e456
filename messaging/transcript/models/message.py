"""What was said, by whom, and who may hear it."""

import uuid

from django.db import models
from django.db.models import Q

from messaging.domain.audience import Audience, Kind, from_stored
from messaging.roster.models import Agent, Person, Session


class Message(models.Model):
    """One message at number `seq` of its session's journal. `text` is that of its newest `revision`.

    `targets` are the handles its audience names, `to` those it is for (another matter). `turn` is the
    agent's turn that said it, `answers` the message that this turn took in. `request` is the digest of
    what the client asked, to tell a repeat of `client_key` from another request under the same key. `dispatch` is the
    mode in which it calls an agent, `child` the side session that it opened.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Found by the keys below, which begin with it.
    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="messages", db_index=False)
    seq = models.PositiveBigIntegerField()
    author_kind = models.CharField(max_length=16)
    person = models.ForeignKey(Person, on_delete=models.PROTECT, null=True, blank=True, related_name="messages")
    agent = models.ForeignKey(
        Agent, on_delete=models.PROTECT, null=True, blank=True, related_name="messages", db_index=False
    )
    text = models.TextField()
    revision = models.PositiveIntegerField(default=1, db_default=1)
    audience = models.CharField(max_length=16)
    targets = models.JSONField(default=list, blank=True)
    to = models.JSONField(default=list, blank=True)
    compat = models.CharField(max_length=16, blank=True)
    on_behalf_of = models.CharField(max_length=200, blank=True)
    reply_to = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="replies", db_index=False
    )
    answers = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="answered_by", db_index=False
    )
    turn = models.UUIDField(null=True, blank=True, unique=True)
    dispatch = models.CharField(max_length=16, blank=True, default="", db_default="")
    child = models.UUIDField(null=True, blank=True)
    source = models.JSONField(default=dict, blank=True)
    # Null, not "": many messages have no key, and no two of them are the same.
    client_key = models.CharField(max_length=128, null=True, blank=True)  # noqa: DJ001
    request = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField()
    edited_at = models.DateTimeField(null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        # Of what most messages have not: an entry for each nothing would cost every post.
        indexes = [
            models.Index(fields=["agent"], name="message_agent", condition=Q(agent__isnull=False)),
            models.Index(fields=["reply_to"], name="message_reply_to", condition=Q(reply_to__isnull=False)),
            models.Index(fields=["answers"], name="message_answers", condition=Q(answers__isnull=False)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["session", "seq"], name="message_seq"),
            models.UniqueConstraint(fields=["session", "person", "client_key"], name="message_person_key"),
            models.UniqueConstraint(fields=["session", "agent", "client_key"], name="message_agent_key"),
            models.CheckConstraint(condition=Q(audience__in=[kind.value for kind in Kind]), name="message_audience"),
            models.CheckConstraint(
                name="message_author",
                condition=(
                    Q(author_kind="human", person__isnull=False, agent__isnull=True)
                    | Q(author_kind="agent", person__isnull=True, agent__isnull=False)
                    | Q(author_kind="system", person__isnull=True, agent__isnull=True, audience="system")
                ),
            ),
            models.CheckConstraint(
                name="message_targets",
                condition=(
                    Q(audience__in=["agent", "participant"]) & ~Q(targets=[])
                    | ~Q(audience__in=["agent", "participant"]) & Q(targets=[])
                ),
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def typed_audience(self) -> Audience:
        """The audience as its closed type."""
        return from_stored(self.audience, tuple(self.targets))


class Addressee(models.Model):
    """A person who may see a message to one or several people. Its author may anyway; nobody else may."""

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="addressees")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="addressed")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["message", "person"], name="addressee_once")]

    def __str__(self) -> str:
        return str(self.message_id)
