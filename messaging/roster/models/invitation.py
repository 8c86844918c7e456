"""Invitations to a session by link. Only hashes of their codes are kept."""

import uuid

from django.db import models
from django.db.models import F, Q

from messaging.domain.capability import Role
from messaging.roster.models.person import Person
from messaging.roster.models.session import Session


class Invitation(models.Model):
    """A link by which people of the installation join a session with a role, `most` times at most, until it expires."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    hash = models.CharField(max_length=64, unique=True)
    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="invitations")
    role = models.CharField(max_length=16, choices=[(role.value, role.value) for role in Role])
    made_by = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="invitations")
    most = models.PositiveIntegerField(default=1)
    used = models.PositiveIntegerField(default=0)
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(used__lte=F("most")), name="invitation_not_overused"),
            models.CheckConstraint(
                condition=Q(role__in=[Role.MODERATOR, Role.MEMBER, Role.VIEWER, Role.GUEST]), name="invitation_role"
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)
