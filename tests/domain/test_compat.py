"""What a post without an audience means: the session's default, or its parent's class."""

from __future__ import annotations

import pytest

from messaging.domain.audience import ActiveAgent, Agents, AudienceError, Everyone, Participants, People, System
from messaging.domain.compat import V1_DEFAULT, Parent, resolve


def answer(parent=None, *, author="sam", kind="human", said=None, default="active_agent", active="mirror"):
    return resolve(said, author=author, author_kind=kind, parent=parent, default=default, active=active)


@pytest.mark.parametrize(("default", "audience"), [("active_agent", ActiveAgent()), ("participants", Participants())])
def test_an_old_client_of_a_person_gets_the_sessions_default_and_a_mark(default, audience):
    found = answer(default=default)
    assert (found.audience, found.compat) == (audience, V1_DEFAULT)


def test_an_agent_gets_no_default():
    with pytest.raises(AudienceError):
        answer(author="scout", kind="agent")


def test_a_named_audience_stands_and_bears_no_mark():
    found = answer(said=Participants())
    assert (found.audience, found.compat, found.to) == (Participants(), "", ())


@pytest.mark.parametrize(
    ("parent", "author", "kind", "audience"),
    [
        (Parent(Participants(), "alex", "human"), "sam", "human", Participants()),
        (Parent(ActiveAgent(), "alex", "human"), "sam", "human", ActiveAgent()),
        (Parent(Everyone(), "alex", "human"), "sam", "human", Everyone()),
        (Parent(People(("sam", "mo")), "alex", "human"), "sam", "human", People(("alex", "mo"))),
        (Parent(People(("sam",)), "alex", "human"), "alex", "human", People(("sam",))),
        (Parent(Everyone(), "mirror", "agent"), "sam", "human", ActiveAgent()),
        (Parent(Everyone(), "scout", "agent"), "sam", "human", Agents(("scout",))),
        (Parent(Agents(("scout",)), "alex", "human"), "scout", "agent", Everyone()),
        (Parent(Agents(("scout",)), "mirror", "agent"), "scout", "agent", Agents(("mirror",))),
        (Parent(ActiveAgent(), "alex", "human"), "scout", "agent", Everyone()),
        (Parent(Everyone(), "mirror", "agent"), "scout", "agent", Everyone()),
    ],
)
def test_a_reply_keeps_its_parents_class_and_is_for_its_sender(parent, author, kind, audience):
    found = answer(parent, author=author, kind=kind)
    assert (found.audience, found.to, found.compat) == (audience, (parent.author,), "")


def test_a_reply_to_what_the_server_said_is_for_people():
    """Its class is the server's alone, so a reply that names none cannot keep it."""
    found = answer(Parent(System(), "earshot", "system"))
    assert (found.audience, found.to) == (Participants(), ("earshot",))
