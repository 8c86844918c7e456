"""Asks: what an agent asks one person, who answers once; and what became of what an agent asked."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status
from pydantic import Field

from collab.api.auth import caller, person
from collab.api.gives import AskOut, ErrorOut
from collab.api.refuse import refuse_unknown
from collab.api.takes import Digest, Handle, In, Text
from messaging.actions.answer_ask import answer_ask
from messaging.actions.ask import ask
from messaging.actions.show_asks import MOST, show_asks
from messaging.domain.ask import Surface
from messaging.roster import access
from messaging.roster.access import AgentCaller
from messaging.transcript import asks as transcript_asks

router = Router(tags=["asks"])
_ERRORS = {401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut}


class AsksQuery(In):
    """Which asks."""

    model_config = In.model_config | {"strict": False}
    open: bool = False


class AskIn(In):
    """A question to one person."""

    person: Handle
    text: Text = Field(description="At most 2,000 characters.")
    options: list[Text] = Field(max_length=64, description="2 to 8, of at most 80 characters each.")


class AnswerIn(In):
    """The option that was chosen. `digest`: of what was looked at; where it is another by now, nothing is answered."""

    choice: Text
    digest: Digest = ""


class AsksOut(Schema):
    """What the caller is asked, newest first."""

    items: list[AskOut]


class AskFateOut(Schema):
    """What became of what an agent asked."""

    id: UUID
    state: str
    answer: str


class AskFatesOut(Schema):
    """What the calling agent asked, newest first."""

    items: list[AskFateOut]


@router.get("/asks", response={200: AsksOut | AskFatesOut, **_ERRORS})
def asks(request: HttpRequest, query: Query[AsksQuery]) -> AsksOut | AskFatesOut:
    """What the caller is asked, newest first; `open`: what can still be answered. From then on it may be answered here.

    An agent gets what it asked itself, and what became of it.
    """
    refuse_unknown(request, AsksQuery)
    who = caller(request)
    if isinstance(who, AgentCaller):
        rows = transcript_asks.made_by(who, only_open=query.open)[:MOST]
        return AskFatesOut(items=[AskFateOut(id=row.id, state=row.state, answer=row.answer) for row in rows])
    shown = show_asks(who, Surface.REST, only_open=query.open, newest_first=True)
    return AsksOut(items=[AskOut.from_orm(view) for view in shown])


@router.post("/asks/{ask}/answer", response={200: AskOut, 409: ErrorOut, **_ERRORS})
def answer(request: HttpRequest, ask: str, body: AnswerIn) -> AskOut:
    """Answers what the caller is asked, once. 409: `closed`; `not_shown`, get it first; `conflict`, another digest."""
    return AskOut.from_orm(answer_ask(person(request), ask, body.choice, Surface.REST, body.digest))


@router.post("/sessions/{session}/asks", response={201: AskOut, 429: ErrorOut, **_ERRORS})
def create_ask(request: HttpRequest, session: str, body: AskIn) -> Status[AskOut]:
    """A connected agent asks one person of its session, who has ten minutes to choose one of the options."""
    who = caller(request)
    view = ask(who, access.session(who, session), body.person, body.text, body.options)
    return Status(201, AskOut.from_orm(view))
