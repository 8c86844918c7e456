"""What is said before a deed: which answers may repeat a message, to whom it goes again, what bringing several means."""

from __future__ import annotations

import re
from dataclasses import replace
from uuid import uuid4

import pytest

from collab.web.presenters import ahead, marked
from collab.web.presenters.company import Company
from messaging.actions.configure import configure
from messaging.actions.manage_members import change_role
from messaging.actions.reclassify import reclassify
from messaging.actions.supersede import supersede
from messaging.domain.capability import DEFAULTS, Role
from messaging.mailbox import say
from messaging.roster.access import MemberView
from messaging.transcript.answers import Answers
from messaging.transcript.marks import Marks
from messaging.transcript.models import AuditEntry, Message
from tests.actions.deeds import begun
from tests.cast import agent, person
from tests.web.scene import PAGE, chosen, source, words
from tests.web.test_deeds import DONE, address
from tests.web.test_message import DELIVERY, QUESTION

BOX = 'name="answers" value="take_back" checked'


def company(*active: str) -> Company:
    seats = [
        MemberView(uuid4(), one, one.title(), "agent", Role.AGENT, "connected", active=one in active)
        for one in ("mirror", "scout")
    ]
    return Company("alex", seats, DEFAULTS[Role.MEMBER])


class TestToWhomItGoesAgain:
    HEARD = replace(QUESTION, deliveries=[DONE])

    def test_to_the_same_agent_it_goes_once_more(self):
        found = ahead.before_again(self.HEARD, company("mirror"))
        assert (found.words, found.agents, found.elsewhere) == ("Mirror gets it once more.", ("mirror",), False)

    def test_to_another_one_it_says_so(self):
        found = ahead.before_again(self.HEARD, company("scout"))
        assert found.words == "Mirror got it before; it goes to Scout now."
        assert (found.agents, found.elsewhere, found.send) == (("scout",), True, "Send to Scout")

    def test_who_never_got_it_did_not_get_it(self):
        late = replace(QUESTION, deliveries=[replace(DELIVERY, disposition="too_late")])
        assert ahead.before_again(late, company("scout")).words == "It was for Mirror; it goes to Scout now."

    def test_to_nobody_it_says_so(self):
        found = ahead.before_again(self.HEARD, company())
        assert "it goes to nobody" in found.words.lower()
        assert (found.agents, found.elsewhere) == ((), True)

    def test_what_names_its_agents_goes_to_them(self):
        named = replace(self.HEARD, audience="agent:mirror", audience_kind="agent", targets=["mirror"])
        assert not ahead.before_again(named, company("scout")).elsewhere


@pytest.mark.django_db
class TestSendingAgain:
    def test_the_form_says_to_whom_and_sends_it_there_alone(self, scene, browser_of):
        message = scene.asked("sam", "kumquat")
        sam = browser_of("sam")
        assert "data-asks" not in source(sam.get(address(message, "again")))
        configure(person("alex"), scene.session, active_agent="scout")
        form = sam.get(address(message, "again"))
        assert "Mirror got it before; it goes to Scout now." in words(form)
        assert "data-asks" in source(form)
        configure(person("alex"), scene.session, active_agent="mirror")
        late = sam.post(address(message, "again"), {"agents": "scout"})
        assert late.status_code == 409
        assert "It would go to Mirror now; look at it again." in words(late)
        configure(person("alex"), scene.session, active_agent="scout")
        assert sam.post(address(message, "again"), {"agents": "scout"}).status_code == 302
        assert scene.delivery(message, "scout").state == "queued"

    def test_a_refusal_says_on_record_what_was_asked_for(self, scene, browser_of):
        message = scene.say("sam", "kumquat", "active_agent")
        supersede(person("sam"), message.id)
        assert browser_of("mo").get(address(message, "again")).status_code == 403
        assert AuditEntry.objects.get(verb="refused").detail["capability"] == "post_agent"


@pytest.mark.django_db
class TestTheAnswers:
    def test_each_form_that_takes_it_back_names_them_and_proposes_to_take_them_back_too(self, scene, browser_of):
        message = scene.asked("sam", "kumquat")
        for name, means in (("delete", "It is deleted for people, too."), ("hearers", "It becomes people only")):
            page = browser_of("sam").get(address(message, name))
            assert "Mirror answered it; the answer may repeat what it said." in words(page), name
            assert means in words(page), name
            assert BOX in source(page), name

    def test_where_nobody_has_answered_nothing_is_said_of_it(self, scene, browser_of):
        message = scene.say("sam", "kumquat", "active_agent")
        for name in ("delete", "hearers"):
            page = browser_of("sam").get(address(message, name))
            assert "may repeat" not in words(page)
            assert "take_back" not in source(page)

    def test_who_is_still_at_it_is_named_too(self, scene, browser_of):
        message = scene.asked("sam", "kumquat")
        scene.say("sam", "another", "active_agent")
        other = scene.say("mo", "a steered one", "active_agent")
        scene.answer("to another")
        scene.take()
        page = words(browser_of("mo").get(address(other, "delete")))
        assert "Mirror is answering it; the answer may repeat what it said." in page
        assert "What is being said is stopped." in page
        assert "is answering it" not in words(browser_of("sam").get(address(message, "delete")))

    @pytest.mark.parametrize("wish", [{"answers": "take_back"}, {}])
    def test_they_go_along_where_that_was_left_ticked_and_stay_where_not(self, scene, browser_of, wish):
        message = scene.asked("sam", "kumquat")
        assert browser_of("sam").post(address(message, "delete"), wish).status_code == 302
        told = words(browser_of("vic").get(PAGE))
        assert ("an answer to kumquat" in told) is (not wish)
        assert ("Deleted by Sam: it answered a message that was deleted" in told) is bool(wish)

    @pytest.mark.parametrize("wish", [{"answers": "take_back"}, {}])
    def test_made_people_only_likewise(self, scene, browser_of, wish):
        message = scene.asked("sam", "kumquat")
        form = {"audience": "participants", "reason": "a secret", "revision": 1, **wish}
        assert browser_of("sam").post(address(message, "hearers"), form).status_code == 302
        answer = Message.objects.get(answers=message.id)
        assert (answer.audience == "participants") is bool(wish)

    def test_towards_agents_the_tick_means_nothing(self, scene, browser_of):
        message = scene.asked("sam", "kumquat")
        form = {"audience": "everyone", "reason": "for all", "revision": 1, "answers": "take_back"}
        assert browser_of("sam").post(address(message, "hearers"), form).status_code == 302
        assert Message.objects.get(answers=message.id).audience == "everyone"

    def test_a_form_that_comes_back_keeps_what_was_decided(self, scene, browser_of):
        message = scene.asked("sam", "kumquat")
        unticked = browser_of("mo").post(address(message, "delete"), {})
        assert unticked.status_code == 422
        assert BOX not in source(unticked)
        assert BOX in source(browser_of("mo").post(address(message, "delete"), {"answers": "take_back"}))

    def test_who_may_not_is_told_who_may(self):
        given = Answers(said=[Message(author_kind="system")])
        told = ahead.echo(given, "delete", may=False)
        assert told is not None
        assert "Who moderates here can take it back." in told.words
        assert told.offer == ""
        assert ahead.echo(Answers(), "delete", may=True) is None

    def test_who_only_steered_gets_no_box(self, scene, browser_of):
        scene.say("mo", "a question", "active_agent")
        held = begun(scene)
        steer = scene.say("sam", "kumquat", "active_agent", delivery="steer")
        assert say.answer(held, "let me see")
        page = browser_of("sam").get(address(steer, "delete"))
        assert "Who moderates here can take it back." in words(page)
        assert "take_back" not in source(page)
        assert BOX in source(browser_of("mo").get(address(steer, "delete")))


@pytest.mark.django_db
class TestPeopleOnly:
    def test_what_no_agent_gets_is_not_previewed_as_one_gets_it(self, scene, browser_of):
        page = source(browser_of("sam").get(address(scene.asked("sam", "kumquat"), "hearers")))
        agents, people = page.index('class="if-agents"'), page.index('class="if-people"')
        assert agents < page.index("exactly as an agent gets it") < people
        assert page.index("no agent is given it from now on") > people

    def test_whom_it_was_for_is_named_by_name(self, scene):
        message = scene.say("sam", "kumquat", "agent:scout", dispatch="future_turn")
        view = reclassify(person("sam"), message.id, "participants", "a secret")
        known = Marks(before="agent", before_targets=("scout", "gone"), reclassified_by="Sam", reason="a secret")
        name = agent("scout").name
        assert name != "scout"
        assert marked.reclassified(view, known) == f"Was for {name} and gone; Sam made it people only: a secret"


@pytest.mark.django_db
class TestBringing:
    def test_of_several_it_says_that_each_is_answered(self, scene, browser_of):
        said = [scene.say("sam", f"kumquat {n}").id for n in range(3)]
        page = words(browser_of("sam").get(f"{PAGE}bring", {"m": said}))
        assert "3 messages: Mirror will answer each of them." in page
        assert "3 messages, and no answer to any of them is expected." in page
        assert "will answer each" not in words(browser_of("sam").get(f"{PAGE}bring", {"m": said[:1]}))

    def test_whom_the_button_named_is_chosen_already(self, scene, browser_of):
        message = scene.say("sam", "kumquat")
        sam = browser_of("sam")
        assert chosen(sam.get(f"{PAGE}bring", {"m": message.id})) == "active_agent"
        configure(person("alex"), scene.session, active_agent=None)
        assert chosen(sam.get(f"{PAGE}bring", {"m": message.id})) != "active_agent"

    def test_nothing_is_chosen_beforehand_where_one_message_is_opened(self, scene, browser_of):
        message = scene.say("sam", "kumquat")
        assert chosen(browser_of("sam").get(address(message, "hearers"))) == ""

    def test_the_link_is_a_part_that_can_be_asked_for_again(self, scene, browser_of):
        part = f"{PAGE}part/bring"
        assert "Bring to Mirror" in words(browser_of("sam").get(part))
        configure(person("alex"), scene.session, active_agent="scout")
        assert f"Bring to {agent('scout').name}" in words(browser_of("sam").get(part))
        assert not re.search("Bring to", words(browser_of("vic").get(part)))
        change_role(person("mo"), scene.session, "sam", "viewer")
        assert "Bring to" not in words(browser_of("sam").get(part))
