"""What staff may look at, and the few deeds offered there. What was said and the audit log have files of their own."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest

from collab.moderation import agents, deeds, log, sources, words
from collab.moderation.readonly import ReadOnly
from messaging.actions.close_account import close_account, open_account
from messaging.actions.revoke_token import revoke_token
from messaging.journal.models import Clock, Entry
from messaging.mailbox.models import Attempt, Seat, Transition, Turn, TurnStep, Usage
from messaging.roster.models import (
    Account,
    Handle,
    Installation,
    Invitation,
    Membership,
    MembershipChange,
    Person,
    Session,
    SessionChange,
    SignInLink,
    Spend,
    Token,
)
from messaging.transcript.models import Addressee

#: All but the deeds register their own models by being imported.
__all__ = ["agents", "deeds", "log", "sources", "words"]
# Rights come from the roster; Django's own groups mean nothing here.
admin.site.unregister(Group)


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


@admin.register(Account)
class AccountAdmin(ReadOnly):
    """Logins, without their passwords."""

    hidden = ("password",)
    list_display = ("username", "is_active", "is_staff", "last_login")
    actions = ("close", "open")

    @admin.action(description="Close: no sign-in, no token, what waits of theirs is rejected")
    def close(self, request: HttpRequest, rows: QuerySet[Account]) -> None:
        """Closes the chosen accounts."""
        deeds.each(request, close_account, _people(rows), "closed")

    @admin.action(description="Open again")
    def open(self, request: HttpRequest, rows: QuerySet[Account]) -> None:
        """Opens the chosen accounts again."""
        deeds.each(request, open_account, _people(rows), "opened again")


def _people(rows: QuerySet[Account]) -> list[str]:
    """The handles of those whose accounts these are; the user name, which nobody bears, of an account of nobody."""
    found = rows.order_by("username").values_list("person__handle__spelled", "username")
    return [handle or username for handle, username in found]


@admin.register(Token)
class TokenAdmin(ReadOnly):
    """Tokens, without their hashes."""

    hidden = ("hash",)
    list_display = ("id", "person", "agent", "created_at", "revoked_at")
    actions = ("revoke",)

    @admin.action(description="Revoke for good")
    def revoke(self, request: HttpRequest, rows: QuerySet[Token]) -> None:
        """Revokes the chosen tokens."""
        deeds.each(request, revoke_token, rows.values_list("id", flat=True), "revoked")


@admin.register(Invitation)
class InvitationAdmin(ReadOnly):
    """Invitations, without the hashes of their codes."""

    hidden = ("hash",)
    list_display = ("made_at", "session", "role", "made_by", "used", "most", "expires_at", "revoked_at")
    list_filter = ("role", "session")
    list_select_related = ("session", "made_by__handle")
    ordering = ("-made_at",)


@admin.register(SignInLink)
class SignInLinkAdmin(ReadOnly):
    """Sign-in links, without their hashes."""

    hidden = ("hash",)
    list_display = ("id", "person", "expires_at", "used_at")


@admin.register(Turn)
class TurnAdmin(ReadOnly):
    """Agents' runs."""

    list_display = ("started_at", "seat", "state", "reason", "attempts", "ended_at")
    list_filter = ("state", "seat__handle")
    ordering = ("-started_at",)


PLAIN = (
    Addressee, Attempt, Clock, Entry, Handle, Installation, MembershipChange, Seat, SessionChange, Spend, Transition,
    TurnStep, Usage,
)  # fmt: skip
for model in PLAIN:
    admin.site.register(model, ReadOnly)
