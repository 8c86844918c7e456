"""The pages on which one goes on in another session and brings back from there: who may, what is said, what is done."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client

from messaging.actions.collect import collect
from messaging.actions.delete import delete
from messaging.actions.edit import edit
from messaging.mailbox import say
from messaging.mailbox.claim import claim
from messaging.roster.models import Account, Membership, Session
from messaging.transcript.models import Message
from tests.cast import Room, person

pytestmark = pytest.mark.django_db
HIDDEN = "between the two of us 7f31"


@pytest.fixture
def room() -> Room:
    room = Room.open()
    room.say("sam", HIDDEN)
    answered(room, "for the agent, too", "its answer")
    return room


def answered(room: Room, question: str, answer: str) -> None:
    room.say("sam", question, "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    say.answer(held, answer)
    collect(room.session.id)


def texts(session: Session) -> list[str]:
    return [one.text for one in Message.objects.filter(session=session).order_by("seq")]


def browser(handle: str) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username=handle))
    return client


def page(answer) -> str:
    return str(answer.content.decode())


def forked(room: Room, handle: str = "alex", **given: str) -> Session:
    answer = browser(handle).post("/s/welcome/fork", given)
    assert answer.status_code == 302, page(answer)
    return Session.objects.get(slug=answer.headers["Location"].split("/")[2])


class TestGoingOn:
    def test_it_says_what_goes_along_and_opens_it(self, room):
        assert "Go on in another session" in page(browser("alex").get("/s/welcome/"))
        shown = page(browser("alex").get("/s/welcome/fork"))
        assert "It begins with 2 messages that Mirror was shown or said here." in shown
        assert "for the agent, too" in shown
        assert HIDDEN not in shown
        made = forked(room, title=" Another way ")
        assert (made.title, made.fork_of_id) == ("Another way", room.session.id)
        assert texts(made) == ["for the agent, too", "its answer"]
        assert set(Membership.objects.filter(session=made, person__isnull=False).values_list("role")) == {("owner",)}

    def test_up_to_a_message_where_one_is_named(self, room):
        last = Message.objects.get(text="for the agent, too")
        answered(room, "later", "later, too")
        trail = page(browser("alex").get(f"/s/welcome/m/{last.id}/"))
        assert f"/s/welcome/fork?until={last.id}" in trail
        assert "up to the one you chose" in page(browser("alex").get("/s/welcome/fork", {"until": str(last.id)}))
        made = forked(room, until=str(last.id))
        assert texts(made) == ["for the agent, too"]

    @pytest.mark.parametrize("handle", ["vic", "gus"])
    def test_who_may_not_take_it_along_is_not_offered_it_and_refused(self, room, handle):
        assert "/fork" not in page(browser(handle).get("/s/welcome/"))
        before = Session.objects.count()
        assert browser(handle).get("/s/welcome/fork").status_code == 403
        assert browser(handle).post("/s/welcome/fork", {}).status_code == 403
        assert Session.objects.count() == before

    def test_who_is_not_in_it_finds_nothing(self, room):
        assert browser("xan").get("/s/welcome/fork").status_code == 404
        assert browser("xan").post("/s/welcome/fork", {}).status_code == 404

    def test_a_message_that_is_not_there_is_said_to_be_none(self, room):
        answer = browser("alex").get("/s/welcome/fork", {"until": str(uuid4())})
        assert answer.status_code == 422
        assert "is no message that you can see there" in page(answer)
        assert browser("alex").get("/s/welcome/fork", {"until": "none at all"}).status_code == 200

    def test_a_title_that_is_too_long_is_refused_and_opens_nothing(self, room):
        before = Session.objects.count()
        browser("alex").post("/s/welcome/fork", {"title": "x" * 500})
        assert Session.objects.count() == before


class TestBringingBack:
    @pytest.fixture
    def fork(self, room) -> Room:
        """Alex's, with a word among people and one for the agent."""
        made = forked(room, title="Another way")
        there = Room(made)
        there.say("alex", "said among people there")
        there.say("alex", "asked there", "everyone")
        return there

    def back(self, fork: Room, *texts: str, handle: str = "alex", **more: str):
        chosen = [str(one.id) for one in Message.objects.filter(session=fork.session, text__in=texts)]
        return browser(handle).post(f"/s/{fork.session.slug}/back", {"m": chosen, **more})

    def home(self) -> list[tuple[str, str]]:
        return [(one.text, one.audience) for one in Message.objects.filter(session__slug="welcome").order_by("seq")]

    def test_it_leads_there_and_lists_what_may_come_along(self, room, fork):
        at = f"/s/{fork.session.slug}/"
        assert "Goes on from" in page(browser("alex").get(at))
        assert f"{at}back" in page(browser("alex").get(at))
        shown = page(browser("alex").get(f"{at}back"))
        assert "asked there" in shown
        assert "said among people there" in shown

    def test_what_is_chosen_is_said_anew_and_the_rest_stays(self, room, fork):
        before = self.home()
        answer = self.back(fork, "asked there", audience="participants")
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("/s/welcome/#m-")
        assert self.home() == [*before, ("asked there", "participants")]

    def test_people_s_own_words_want_a_reason_and_a_yes(self, room, fork):
        before, word = self.home(), "said among people there"
        answer = self.back(fork, word, audience="everyone")
        assert answer.status_code == 422
        assert "eason" in page(answer)
        answer = self.back(fork, word, audience="everyone", reason="it matters")
        assert "cannot be taken back" in page(answer)
        assert 'name="confirm"' in page(answer)
        assert self.home() == before
        seen = f"{Message.objects.get(text=word).id} 1"
        answer = self.back(fork, word, audience="everyone", reason="it matters", confirm="on", seen=seen)
        assert answer.status_code == 302
        assert self.home() == [*before, (word, "everyone")]

    def test_nothing_chosen_nobody_chosen_and_what_is_none_bring_nothing(self, room, fork):
        before = self.home()
        at = f"/s/{fork.session.slug}/back"
        for given in (
            {"audience": "participants"},
            {"m": ["no id"], "audience": "participants"},
            {"m": [str(uuid4())], "audience": "participants"},
            {"m": [str(Message.objects.filter(session=fork.session)[0].id)]},
            {"m": [str(Message.objects.filter(session=fork.session)[0].id)], "audience": "agent:nobody"},
        ):
            assert browser("alex").post(at, given).status_code == 422, given
        assert self.home() == before

    def test_deleted_and_direct_ones_are_not_offered(self, room, fork):
        fork.say("alex", "to be deleted")
        delete(person("alex"), str(Message.objects.get(text="to be deleted").id))
        assert "to be deleted" not in page(browser("alex").get(f"/s/{fork.session.slug}/back"))

    def test_others_of_the_first_session_find_no_way_in(self, room, fork):
        assert browser("sam").get(f"/s/{fork.session.slug}/back").status_code == 404
        assert self.back(fork, "asked there", handle="sam", audience="participants").status_code == 404

    def test_who_is_not_in_the_first_one_any_more_brings_nothing_back(self, room, fork):
        Membership.objects.filter(session=room.session, person__handle__spelled="alex").update(
            left_at="2026-01-01T00:00Z"
        )
        assert browser("alex").get(f"/s/{fork.session.slug}/back").status_code == 404
        assert "/back" not in page(browser("alex").get(f"/s/{fork.session.slug}/"))

    def test_a_session_that_came_from_none_has_no_way_back(self, room):
        assert browser("alex").get("/s/welcome/back").status_code == 404
        assert "/back" not in page(browser("alex").get("/s/welcome/"))

    def test_a_yes_counts_for_what_was_shown_and_for_nothing_else(self, room, fork):
        fork.say("alex", "another word among people")
        first = Message.objects.get(text="said among people there")
        before, chosen = self.home(), {"audience": "everyone", "reason": "it matters", "confirm": "on"}
        assert "cannot be taken back" in page(self.back(fork, first.text, audience="everyone", reason="it matters"))
        answer = self.back(fork, first.text, "another word among people", seen=f"{first.id} 1", **chosen)
        assert "cannot be taken back" in page(answer)
        edit(person("alex"), first.id, "harmless no more")
        answer = self.back(fork, "harmless no more", seen=f"{first.id} 1", **chosen)
        assert "cannot be taken back" in page(answer)
        assert self.home() == before
        assert self.back(fork, "harmless no more", seen=f"{first.id} 2", **chosen).status_code == 302
        assert self.home() == [*before, ("harmless no more", "everyone")]
