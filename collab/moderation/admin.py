"""What staff may look at. A direct message shows who and where, never its words."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.models import Group

from collab.moderation.readonly import ReadOnly
from messaging.domain.audience import Kind
from messaging.journal.models import Clock, Entry
from messaging.mailbox.models import Attempt, Delivery, Seat, Transition, Turn, TurnStep, Utterance
from messaging.roster.models import (
    Account,
    Agent,
    Handle,
    Installation,
    Membership,
    MembershipChange,
    Person,
    Session,
    SignInLink,
    Spend,
    Token,
)
from messaging.transcript.models import Addressee, Message

# Rights come from the roster; Django's own groups mean nothing here.
admin.site.unregister(Group)
NOT_SHOWN = "Not shown here: it is between its author and those it names."


@admin.register(Message)
class MessageAdmin(ReadOnly):
    """Messages in the order they were kept."""

    hidden = ("text", "client_key", "request")
    instead = ("words",)
    list_display = ("created_at", "session", "seq", "author_kind", "person", "agent", "audience", "words")
    list_filter = ("audience", "author_kind", "session")
    list_select_related = ("session", "person__handle", "agent__handle")
    ordering = ("-created_at", "-seq")

    @admin.display(description="text")
    def words(self, message: Message) -> str:
        """The text, but of direct messages."""
        return NOT_SHOWN if message.audience == Kind.PEOPLE else message.text


@admin.register(Session)
class SessionAdmin(ReadOnly):
    """Sessions."""

    list_display = ("slug", "title", "active_agent", "created_at", "closed_at")
    search_fields = ("slug", "title")


@admin.register(Membership)
class MembershipAdmin(ReadOnly):
    """Who is in which session, as what."""

    list_display = ("session", "person", "agent", "role", "joined_at", "left_at")
    list_filter = ("role", "session")


@admin.register(Person)
class PersonAdmin(ReadOnly):
    """People."""

    list_display = ("handle", "name", "account", "created_at")
    search_fields = ("handle__spelled", "name")


@admin.register(Agent)
class AgentAdmin(ReadOnly):
    """Agents."""

    list_display = ("handle", "name", "kind", "provider", "owner", "enabled", "seen_at")
    list_filter = ("kind", "provider", "enabled")


@admin.register(Account)
class AccountAdmin(ReadOnly):
    """Logins, without their passwords."""

    hidden = ("password",)
    list_display = ("username", "is_active", "is_staff", "last_login")


@admin.register(Token)
class TokenAdmin(ReadOnly):
    """Tokens, without their hashes."""

    hidden = ("hash",)
    list_display = ("id", "person", "agent", "created_at", "revoked_at")


@admin.register(SignInLink)
class SignInLinkAdmin(ReadOnly):
    """Sign-in links, without their hashes."""

    hidden = ("hash",)
    list_display = ("id", "person", "expires_at", "used_at")


@admin.register(Delivery)
class DeliveryAdmin(ReadOnly):
    """What agents were shown, and what became of it."""

    list_display = ("said_at", "seat", "author", "purpose", "state", "reason", "number")
    list_filter = ("state", "purpose", "seat__handle")
    ordering = ("-said_at",)


@admin.register(Turn)
class TurnAdmin(ReadOnly):
    """Agents' runs."""

    list_display = ("started_at", "seat", "state", "reason", "attempts", "ended_at")
    list_filter = ("state", "seat__handle")
    ordering = ("-started_at",)


@admin.register(Utterance)
class UtteranceAdmin(ReadOnly):
    """What agents said; direct messages, again, without their words."""

    hidden = ("text",)
    instead = ("words",)
    list_display = ("said_at", "seat", "kind", "number", "message")
    list_filter = ("kind", "seat__handle")
    ordering = ("-said_at",)

    @admin.display(description="text")
    def words(self, said: Utterance) -> str:
        """The text, but of direct messages."""
        direct = Message.objects.filter(audience=Kind.PEOPLE)
        return NOT_SHOWN if said.message and direct.filter(id=said.message).exists() else said.text


PLAIN = (Addressee, Attempt, Clock, Entry, Handle, Installation, MembershipChange, Seat, Spend, Transition, TurnStep)
for model in PLAIN:
    admin.site.register(model, ReadOnly)
