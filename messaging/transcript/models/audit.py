"""What was done that somebody may have to answer for. Rows are added, never changed and never taken away."""

import uuid

from django.db import models

from messaging.domain.audit import Verb
from messaging.domain.wording import done


class AuditEntry(models.Model):
    """One deed or refusal. `session` and `about` are plain ids: an entry outlives what it tells of.

    `detail` holds codes, handles, audiences and a reason that somebody gave; never a message's text.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField()
    actor = models.CharField(max_length=64)
    verb = models.CharField(max_length=24, choices=[(verb.value, verb.value) for verb in Verb])
    session = models.UUIDField(null=True)
    about = models.UUIDField(null=True)
    detail = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["at"], name="audit_at"),
            models.Index(fields=["session", "at"], name="audit_session"),
            models.Index(fields=["about"], name="audit_about"),
        ]

    def __str__(self) -> str:
        return f"{self.actor} {done(self.verb)}"
