"""People, and the accounts of those who can log in."""

import uuid

from django.contrib.auth.models import AbstractUser
from django.db import models

from messaging.roster.models.handle import Handle


class Account(AbstractUser):
    """A login. Its user name is the person's handle."""

    class Meta(AbstractUser.Meta):
        db_table = "roster_account"


class Person(models.Model):
    """A human. Known by handle; the display name is for eyes alone."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    handle = models.OneToOneField(Handle, on_delete=models.PROTECT, related_name="person")
    name = models.CharField(max_length=80)
    email = models.EmailField(blank=True)
    account = models.OneToOneField(Account, on_delete=models.PROTECT, null=True, blank=True, related_name="person")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "people"

    def __str__(self) -> str:
        return self.handle.spelled
