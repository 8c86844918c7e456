"""Agents of the installation."""

import uuid
from typing import Any

from django.db import models

from messaging.roster.models.handle import Handle
from messaging.roster.models.person import Person


class Agent(models.Model):
    """An agent. `provider` and `settings` say how a hosted one is run; secrets are named, never kept, there.

    `modes` are those it may be called in, `namespaces` those of the sessions it works in; null: no narrower rule.
    `tools` are those it may call, each with a word of `messaging.domain.call.Permission`; null: none. `sources` are the
    names of those from which it gets tools; null: none. `placement` is the fleet queue that serves it, empty or a name.
    `turns_a_day` and `tokens_a_day` are what its owner may use up before it takes no more; null: as many as come.
    """

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
    modes = models.JSONField(null=True, blank=True)
    namespaces = models.JSONField(null=True, blank=True)
    tools = models.JSONField(null=True, blank=True)
    sources = models.JSONField(null=True, blank=True)
    placement = models.CharField(max_length=32, blank=True, default="", db_default="")
    turns_a_day = models.PositiveIntegerField(null=True, blank=True)
    tokens_a_day = models.PositiveIntegerField(null=True, blank=True)
    enabled = models.BooleanField(default=True)
    seen_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.handle.spelled

    @property
    def policy(self) -> dict[str, Any] | None:
        """What is copied to its seats."""
        own: dict[str, Any] = {"modes": self.modes, "namespaces": self.namespaces, "tools": self.tools}
        own |= {"sources": self.sources} if self.sources is not None else {}
        return own if any(value is not None for value in own.values()) else None
