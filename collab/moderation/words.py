"""What people and agents said. Who reads it here is written down; direct and deleted messages show no words."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin

from collab.moderation.reading import Read, ReadInList
from collab.moderation.readonly import ReadOnly
from messaging.domain.ask import AskKind
from messaging.domain.audience import Kind
from messaging.mailbox.models import Delivery, Summary, ToolCall, Utterance
from messaging.transcript.models import Ask, AskShown, AskStep, Message, Reclassification, Revision, Tombstone

NOT_SHOWN = "Not shown here: it is between its author and those it names."
DELETED = "Deleted."
WITHHELD = "Withheld: the agent is not shown it any more."


def _words(message: Message, text: str) -> str:
    """A text of a message, but of direct and of deleted ones."""
    if message.audience == Kind.PEOPLE:
        return NOT_SHOWN
    return DELETED if message.deleted_at else text


@admin.register(Message)
class MessageAdmin(ReadInList):
    """Messages in the order they were kept."""

    hidden = ("text", "client_key", "request")
    instead = ("words",)
    list_display = ("created_at", "session", "seq", "author_kind", "person", "agent", "audience", "words")
    list_filter = ("audience", "author_kind", "session")
    list_select_related = ("session", "person__handle", "agent__handle")
    ordering = ("-created_at", "-seq")

    @admin.display(description="text")
    def words(self, message: Message) -> str:
        """The text."""
        return _words(message, message.text)

    def session_of(self, row: Message) -> UUID | None:
        """Where it was said."""
        return row.session_id


@admin.register(Revision)
class RevisionAdmin(Read):
    """Texts that messages had."""

    hidden = ("text",)
    instead = ("words",)
    list_display = ("at", "message", "n")
    ordering = ("-at",)

    @admin.display(description="text")
    def words(self, revision: Revision) -> str:
        """The text, but what a message said while it was direct: that stays its author's."""
        opened = Reclassification.objects.filter(message=revision.message, before=Kind.PEOPLE, revision__gt=revision.n)
        return NOT_SHOWN if opened.exists() else _words(revision.message, revision.text)

    def session_of(self, row: Revision) -> UUID | None:
        """Where it was said."""
        return row.message.session_id


@admin.register(Tombstone)
class TombstoneAdmin(ReadOnly):
    """Messages that were deleted, by whom and why."""

    list_display = ("at", "message", "by", "reason")
    list_select_related = ("message", "by__handle")
    ordering = ("-at",)


@admin.register(Reclassification)
class ReclassificationAdmin(ReadOnly):
    """Messages whose audience was changed, by whom and why."""

    list_display = ("at", "message", "before", "after", "by", "reason")
    list_filter = ("before", "after")
    list_select_related = ("message", "by__handle")
    ordering = ("-at",)


class MailboxRead(Read):
    """A model of the mailbox, whose rows know their message by id alone."""

    hidden = ("text",)
    instead = ("words",)

    @admin.display(description="text")
    def words(self, row: Any) -> str:
        """The text, but of direct and of deleted messages, and of what was taken back from the agent."""
        text = WITHHELD if row.withheld_at else row.text
        message = Message.objects.filter(id=row.message).first() if row.message else None
        return _words(message, text) if message else text

    def session_of(self, row: Delivery | Utterance) -> UUID | None:
        """Where its seat is."""
        return row.seat.session


@admin.register(Delivery)
class DeliveryAdmin(MailboxRead):
    """What agents were shown, and what became of it."""

    list_display = ("said_at", "seat", "author", "purpose", "state", "reason", "number")
    list_filter = ("state", "purpose", "seat__handle")
    ordering = ("-said_at",)


@admin.register(Utterance)
class UtteranceAdmin(MailboxRead):
    """What agents said."""

    list_display = ("said_at", "seat", "kind", "number", "message")
    list_filter = ("kind", "seat__handle")
    ordering = ("-said_at",)


@admin.register(Summary)
class SummaryAdmin(MailboxRead):
    """What agents made of their past."""

    list_display = ("made_at", "seat", "level", "first", "last", "withheld_at")
    list_filter = ("level", "seat__handle")
    ordering = ("-made_at",)

    @admin.display(description="text")
    def words(self, row: Any) -> str:
        """The text, but of one in which something was taken back."""
        return WITHHELD if row.withheld_at else row.text


@admin.register(ToolCall)
class ToolCallAdmin(ReadOnly):
    """What agents called in their turns, without what they gave and got: that may be anybody's words."""

    hidden = ("arguments", "result", "rows")
    list_display = ("began_at", "turn", "step", "name", "state", "reason", "ended_at")
    list_filter = ("state", "name")
    ordering = ("-began_at",)


@admin.register(Ask)
class AskAdmin(Read):
    """What agents asked people. A question is between the agent and that person; of a call everything is shown."""

    hidden = ("content", "options", "answer")
    instead = ("words", "answered")
    list_display = ("made_at", "session", "kind", "person", "agent", "tool", "state", "ended_at")
    list_filter = ("state", "kind")
    list_select_related = ("session", "person__handle", "agent__handle")
    ordering = ("-made_at",)

    @admin.display(description="content")
    def words(self, ask: Ask) -> str:
        """The call that was to be approved, as it was shown."""
        return ask.content if ask.kind == AskKind.APPROVAL else NOT_SHOWN

    @admin.display(description="answer")
    def answered(self, ask: Ask) -> str:
        """Whether it was approved."""
        return ask.answer if ask.kind == AskKind.APPROVAL else NOT_SHOWN

    def session_of(self, row: Ask) -> UUID | None:
        """Where it was asked."""
        return row.session_id


@admin.register(AskShown)
class AskShownAdmin(ReadOnly):
    """Where asks were shown to those whom they name."""

    list_display = ("at", "ask", "surface")
    list_filter = ("surface",)
    list_select_related = ("ask",)
    ordering = ("-at",)


@admin.register(AskStep)
class AskStepAdmin(ReadOnly):
    """The steps of asks."""

    list_display = ("at", "ask", "state")
    list_filter = ("state",)
    list_select_related = ("ask",)
    ordering = ("-at",)
