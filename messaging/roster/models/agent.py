"""Agents of the installation."""

import uuid

from django.db import models

from messaging.roster.models.handle import Handle
from messaging.roster.models.person import Person


class Agent(models.Model):
    """An agent. `provider` and `settings` say how a hosted one is run; secrets are named, never kept, there."""

    class Kind(models.TextChoices):
        """Hosted: a turn runs in our agents' process. Connected: it runs elsewhere and takes its deliveries."""

        HOSTED = "hosted"
        CONNECTED = "connected"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    handle = models.OneToOneField(Handle, on_delete=models.PROTECT, related_name="agent")
    name = models.CharField(max_length=80)
    kind = models.CharField(max_length=16, choices=Kind.choices)
    provider = models.CharField(max_length=32, blank=True)
    settings = models.JSONField(default=dict, blank=True)
    owner = models.ForeignKey(Person, on_delete=models.PROTECT, null=True, blank=True, related_name="agents")
    enabled = models.BooleanField(default=True)
    seen_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.handle.spelled
