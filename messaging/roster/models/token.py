"""Credentials: bearer tokens and one-time sign-in links. Only hashes are kept."""

import uuid

from django.db import models
from django.db.models import Q

from messaging.roster.models.agent import Agent
from messaging.roster.models.person import Person


class Token(models.Model):
    """A bearer token of one person or one agent, found by its SHA-256."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    hash = models.CharField(max_length=64, unique=True)
    person = models.ForeignKey(Person, on_delete=models.CASCADE, null=True, blank=True, related_name="tokens")
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, null=True, blank=True, related_name="tokens")
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="token_one_of_two",
                condition=(Q(person__isnull=False, agent__isnull=True) | Q(person__isnull=True, agent__isnull=False)),
            )
        ]

    def __str__(self) -> str:
        return str(self.id)


class SignInLink(models.Model):
    """A link that signs one person in, once, until it expires."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    hash = models.CharField(max_length=64, unique=True)
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="sign_in_links")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return str(self.id)
