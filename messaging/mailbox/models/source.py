"""Where hosted agents get tools from beside the house's own."""

import uuid

from django.db import models

from messaging.domain.source import Transport


class Source(models.Model):
    """An MCP server or a folder that somebody registered. Secrets are named here, never kept.

    `settings` are those of `transport`, as `messaging.domain.source` has them. The house writes all but what the
    agents' process found there: `tools`, each with its name, description and schema, or `fault`, a code that says why
    nothing was found; `listed_at` is when. It looks wherever `asked_at` is later than that.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=32, unique=True)
    transport = models.CharField(max_length=8, choices=[(one.value, one.value) for one in Transport])
    settings = models.JSONField(default=dict, blank=True)
    enabled = models.BooleanField(default=True)
    asked_at = models.DateTimeField()
    tools = models.JSONField(default=list, blank=True)
    fault = models.CharField(max_length=48, blank=True)
    listed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name
