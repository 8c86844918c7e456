"""The one namespace of people and agents."""

from django.core.exceptions import ValidationError
from django.db import models

from messaging.domain.handle import RESERVED_HANDLES, is_handle, key


class Handle(models.Model):
    """A name for life. `key` is the form in which two would collide; the primary key refuses the second."""

    key = models.CharField(max_length=64, primary_key=True)
    spelled = models.CharField(max_length=64, unique=True)

    def __str__(self) -> str:
        return self.spelled

    @classmethod
    def take(cls, spelled: str) -> "Handle":
        """Takes a handle. Raises ValidationError on bad spelling, IntegrityError where it collides."""
        cls.check_spelling(spelled)
        return cls.objects.create(key=key(spelled), spelled=spelled)

    @staticmethod
    def check_spelling(spelled: str) -> None:
        """Raises ValidationError on what could be nobody's handle."""
        if not is_handle(spelled) or key(spelled) in RESERVED_HANDLES:
            raise ValidationError({"handle": "takes letters, digits, _ and -, at most 64, and no reserved word"})
