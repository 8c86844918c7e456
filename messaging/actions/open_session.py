"""Opens sessions."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.db import DEFAULT_DB_ALIAS, IntegrityError, transaction

from messaging.actions import audit, terms
from messaging.actions.enrol import Taken
from messaging.actions.join import join
from messaging.domain.audit import Verb
from messaging.domain.capability import Role
from messaging.domain.dispatch import NAMESPACE
from messaging.domain.handle import RESERVED_SLUGS, is_slug
from messaging.domain.text import MAX_TITLE, BadText, check_characters
from messaging.domain.title import By
from messaging.journal import clock as clocks
from messaging.mailbox.models import Seat
from messaging.roster.models import Agent, Person, Session

#: The room that exists from the start; any person or connected agent of the installation may join it.
OPEN = "open"


@dataclass(frozen=True, slots=True)
class Beginning:
    """How a session comes to be, where nobody just opened it.

    title_by: who gave the title; where that is no person, the active agent is asked for one. key: its id, where that is
    known. parent: the session that it is a side session of. fork_of: the one that it goes on from; of both it has the
    namespace and the sources. A session of its own is labelled `namespace`, and its agents may use `sources`; None: all
    that they have.
    """

    title_by: By = By.PERSON
    key: UUID | None = None
    parent: Session | None = None
    fork_of: Session | None = None
    namespace: str = ""
    sources: list[str] | None = None

    @property
    def columns(self) -> dict[str, Any]:
        """Of the session. A fork lies no higher than what it goes on from: it is no way round the bound of depth."""
        own: dict[str, Any] = {"id": self.key or uuid4(), "title_by": self.title_by}
        other = self.parent or self.fork_of
        if other is None:
            return own | {"namespace": check_namespace(self.namespace), "sources": check_sources(self.sources)}
        own |= {"namespace": other.namespace, "sources": other.sources}
        if self.parent is not None:
            return own | {"parent": self.parent, "depth": self.parent.depth + 1}
        return own | {"fork_of": other, "depth": other.depth}


OPENED = Beginning()


@transaction.atomic
def open_session(
    owner: Person, *, title: str, slug: str = "", active_agent: Agent | None = None, beginning: Beginning = OPENED
) -> Session:
    """A new session with its owner in it, and its active agent seated. Raises Taken or ValidationError."""
    title = check_title(title)
    session, by = _create(title, slug or _slug_of(title), beginning), owner.handle.spelled
    audit.note(Verb.SESSION, by, session.id, change="opened")
    join(session, owner, Role.OWNER, by=by)
    if active_agent is not None:
        join(session, active_agent, Role.AGENT, by=by)
        Session.objects.filter(id=session.id).update(active_agent=active_agent)
        session.active_agent = active_agent
        wanted = beginning.title_by is not By.PERSON
        Seat.objects.filter(session=session.id, agent=active_agent.id).update(titles=wanted)
    return session


def check_title(title: str | None) -> str:
    """The title without white space around it. Raises ValidationError."""
    title = (title or "").strip()
    try:
        check_characters(title)
    except BadText as error:
        raise ValidationError({"title": str(error)}) from error
    if not 1 <= len(title) <= MAX_TITLE:
        raise ValidationError({"title": f"holds between 1 and {MAX_TITLE} characters"})
    return title


def check_namespace(label: Any) -> str:
    """The label; empty for none. Raises ValidationError."""
    if label != "" and not (isinstance(label, str) and NAMESPACE.fullmatch(label)):
        raise ValidationError({"namespace": "takes letters, digits, _, . and -, at most 32"})
    return str(label)


def check_sources(names: Any) -> list[str] | None:
    """The names in order, each once; None for whatever agents have. Raises ValidationError."""
    if names is None:
        return None
    terms.check_sources(names)
    return sorted(set(names))


def free_slug(title: str) -> str:
    """A plain word where the title gives one that is free; otherwise nothing, and the session gets a random one."""
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40]
    free = slug.casefold() not in RESERVED_SLUGS and not Session.objects.filter(slug=slug).exists()
    return slug if free and is_slug(slug) else ""


def _slug_of(title: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40]
    return f"{words or 'session'}-{secrets.token_hex(3)}"


def _create(title: str, slug: str, beginning: Beginning) -> Session:
    if not is_slug(slug) or slug.casefold() in RESERVED_SLUGS:
        raise ValidationError({"slug": "takes letters, digits, _, . and -, at most 64, and no reserved word"})
    try:
        with transaction.atomic():
            session = Session.objects.create(title=title, slug=slug, **beginning.columns)
    except IntegrityError as error:
        raise Taken(f"the slug {slug} is taken") from error
    clocks.start(session.id)
    return session


def after_migrate(using: str = DEFAULT_DB_ALIAS, **_: Any) -> None:
    """Signal handler of post_migrate: the session `open` exists from the start."""
    if using != DEFAULT_DB_ALIAS:
        return
    session, made = Session.objects.get_or_create(slug=OPEN, defaults={"title": "Open"})
    if made:
        clocks.start(session.id)
