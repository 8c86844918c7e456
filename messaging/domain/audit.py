"""The deeds that the audit log tells of (decisions, "Audience", "Roles and capabilities")."""

from __future__ import annotations

from enum import StrEnum


class Verb(StrEnum):
    """What was done, or tried."""

    #: Somebody tried what their role does not include.
    REFUSED = "refused"
    RECLASSIFIED = "reclassified"
    SUPERSEDED = "superseded"
    RESENT = "resent"
    #: A text was changed, or a message deleted; by its author, or by whoever moderates.
    EDITED = "edited"
    DELETED = "deleted"
    STOPPED = "stopped"
    FRESH_START = "fresh_start"
    #: Somebody read, in the back office, what they are no member of the room to read.
    READ = "read"
    JOINED = "joined"
    ROLE = "role"
    LEFT = "left"
    #: A session's own lists of capabilities, or its settings.
    SESSION = "session"
    INVITED = "invited"
    INVITATION_REVOKED = "invitation_revoked"
    #: An account, an agent or a token was closed or opened again.
    ACCOUNT = "account"
    AGENT = "agent"
    #: A source of tools was added, changed or looked at again.
    SOURCE = "source"
    #: A person was asked, answered, or was asked in vain.
    ASK = "ask"
    TOKEN = "token"  # noqa: S105 -- a word, no secret
