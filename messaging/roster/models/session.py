"""Sessions and who is in them."""

import uuid

from django.db import models
from django.db.models import Q

from messaging.domain.capability import Capability, Role, granted
from messaging.domain.title import By
from messaging.roster.models.agent import Agent
from messaging.roster.models.person import Person

_ROLES = [(role.value, role.value) for role in Role]


class Session(models.Model):
    """A shared room. `default_audience` is what a version-1 client's post without an audience means.

    `roles` are its own lists of capabilities, by role, in place of the defaults. `parent` is the session in which it
    was opened as a side session, at `depth` one more; `fork_of` the one that it goes on from. `namespace` is a label:
    an agent may be kept to some of them. `sources` are the names of those that its agents may use here; null: all that
    they have.
    """

    class Default(models.TextChoices):
        """The two classes that may be a session's default."""

        ACTIVE_AGENT = "active_agent"
        PARTICIPANTS = "participants"

    class Answers(models.TextChoices):
        """Who hears an agent's answer to input from the room."""

        EVERYONE = "everyone"
        PARTICIPANTS = "participants"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.CharField(max_length=64, unique=True)
    title = models.CharField(max_length=120)
    title_by = models.CharField(
        max_length=8, choices=[(one.value, one.value) for one in By], default=By.PERSON, db_default="person"
    )
    active_agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, blank=True, related_name="active_in")
    default_audience = models.CharField(max_length=16, choices=Default.choices, default=Default.ACTIVE_AGENT)
    answers = models.CharField(max_length=16, choices=Answers.choices, default=Answers.EVERYONE)
    guests_public = models.BooleanField(default=False)
    roles = models.JSONField(null=True, blank=True)
    namespace = models.CharField(max_length=32, blank=True, default="", db_default="")
    sources = models.JSONField(null=True, blank=True)
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="children")
    fork_of = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="forks")
    depth = models.PositiveSmallIntegerField(default=0, db_default=0)
    closed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug

    def granted(self, role: Role) -> frozenset[Capability]:
        """What a role may do here."""
        return granted(role, guests_public=self.guests_public, overrides=self.roles)


class Membership(models.Model):
    """One person or agent in one session. Leaving ends the row's validity, not the row."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="memberships")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, null=True, blank=True, related_name="memberships")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, blank=True, related_name="memberships")
    role = models.CharField(max_length=16, choices=_ROLES)
    joined_at = models.DateTimeField(auto_now_add=True)
    left_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "person"], name="membership_person"),
            models.UniqueConstraint(fields=["session", "agent"], name="membership_agent"),
            models.CheckConstraint(
                name="membership_one_of_two",
                condition=(
                    Q(person__isnull=False, agent__isnull=True) & ~Q(role=Role.AGENT)
                    | Q(person__isnull=True, agent__isnull=False, role=Role.AGENT)
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.session_id}"


class SessionChange(models.Model):
    """One change of what a session is called or allows, which the journal's entry points at."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="changes")
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return str(self.session_id)


class MembershipChange(models.Model):
    """One change of one membership, which the journal's entry points at."""

    class Change(models.TextChoices):
        """What happened."""

        JOINED = "joined"
        ROLE = "role"
        LEFT = "left"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="changes")
    change = models.CharField(max_length=8, choices=Change.choices)
    role = models.CharField(max_length=16, choices=_ROLES)
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.change
