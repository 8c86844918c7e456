"""The session page: who may be spoken to, what was said to whom, what the form does without scripts."""

from __future__ import annotations

import re

import pytest

from messaging.actions.draft import Draft
from messaging.actions.join import join
from messaging.actions.open_session import open_session
from messaging.actions.post import post_one
from messaging.domain.capability import Role
from messaging.journal.models import Clock
from messaging.roster.models import Agent, Person
from messaging.transcript.models import Message
from tests.cast import person
from tests.web.scene import PAGE, chosen, offered, source, words

TO_PEOPLE = {"participants"}
TO_ONE = {"participant:mo", "participant:sam", "participant:vic", "participant:gus"}
TO_AGENTS = {"active_agent", "agent:scout", "everyone"}


def say(browser, text: str = "hello", audience: str = "participants", key: str = "key", **more: str):
    return browser.post(f"{PAGE}post", {"text": text, "audience": audience, "client_key": key, **more})


@pytest.mark.parametrize(
    ("audience", "sign", "expected"),
    [
        ("participants", "ear-struck", "People only"),
        ("active_agent", "ear-open", "To Mirror, everyone here sees it"),
        ("everyone", "ear-ring", "To people and agents, no answer expected"),
        ("participant:sam", "two-heads", "Only Sam and Alex"),
    ],
)
def test_each_message_says_who_hears_it_by_sign_and_in_words(scene, browser_of, audience, sign, expected):
    message = scene.say("alex", "hello", audience)
    page = source(browser_of("alex").get(PAGE))
    article = page[page.index(f'id="m-{message.id}"') : page.index("</article>")]
    assert f'href="#sign-{sign}"' in article
    assert expected in article


def test_to_a_named_agent_it_says_to_whom(scene, browser_of):
    scene.say("alex", "hello", "agent:scout", dispatch="future_turn")
    assert "To Scout" in words(browser_of("sam").get(PAGE))


def test_the_owner_may_speak_to_all(scene, browser_of):
    assert set(offered(browser_of("alex").get(PAGE))) == TO_PEOPLE | TO_ONE | TO_AGENTS


def test_a_viewer_is_offered_people_and_no_agent(scene, browser_of):
    assert set(offered(browser_of("vic").get(PAGE))) == TO_PEOPLE | (TO_ONE - {"participant:vic"}) | {
        "participant:alex"
    }


def test_whoever_may_not_speak_to_agents_is_told_why_none_is_offered(scene, browser_of):
    assert "takes another role than viewer" in words(browser_of("vic").get(PAGE))
    assert "takes another role" not in words(browser_of("sam").get(PAGE))


def test_the_back_office_is_shown_to_staff_alone(scene, browser_of):
    for path in ("/", PAGE):
        assert 'href="/admin/"' in source(browser_of("alex").get(path))
        assert "/admin/" not in source(browser_of("sam").get(path))


def test_a_guest_is_offered_all_people_together_alone(scene, browser_of):
    assert set(offered(browser_of("gus").get(PAGE))) == TO_PEOPLE


def test_a_guest_of_a_public_session_may_ask_the_agent(scene, browser_of):
    type(scene.session).objects.filter(id=scene.session.id).update(guests_public=True)
    assert "active_agent" in offered(browser_of("gus").get(PAGE))


def test_a_hosted_agent_that_is_not_active_is_not_offered_by_name(scene, browser_of):
    assert "agent:mirror" not in offered(browser_of("alex").get(PAGE))


def test_where_others_are_the_composer_begins_with_people(scene, browser_of):
    assert chosen(browser_of("alex").get(PAGE)) == "participants"


def test_a_person_alone_with_an_agent_begins_with_the_agent(scene, browser_of):
    alex = Person.objects.get(handle__spelled="alex")
    open_session(alex, title="Alone", slug="alone", active_agent=Agent.objects.get(handle__spelled="mirror"))
    assert chosen(browser_of("alex").get("/s/alone/")) == "active_agent"


def test_alone_without_an_agent_it_is_said_that_nobody_hears(scene, browser_of):
    open_session(Person.objects.get(handle__spelled="alex"), title="Empty", slug="empty")
    page = browser_of("alex").get("/s/empty/")
    assert chosen(page) == "participants"
    assert "Nobody hears this" in words(page)


def test_before_sending_it_is_said_who_hears_and_whether_each_agent_is_there(scene, browser_of):
    shown = words(browser_of("alex").get(PAGE))
    assert "4 others hear this: Mo, Sam, Vic and Gus. No agent does." in shown
    assert "Mirror is here and hears this. 4 other people see it." in shown
    assert "Scout is away, it gets this when it is back." in shown
    assert "No agent hears it, and nobody else reads it here: moderators neither." in shown
    assert "open it for" not in shown


def test_a_reply_to_an_agent_s_answer_goes_to_that_agent(scene, browser_of):
    scene.asked("sam")
    answer = Message.objects.get(author_kind="agent")
    page = browser_of("alex").get(f"{PAGE}?reply={answer.id}")
    assert chosen(page) == "active_agent"
    assert "Replying to Mirror" in words(page)


def test_a_reply_to_people_stays_with_people_and_to_one_with_that_one(scene, browser_of):
    to_all = scene.say("sam", "hello")
    alone = scene.say("sam", "hello", "participant:alex")
    alex = browser_of("alex")
    assert chosen(alex.get(f"{PAGE}?reply={to_all.id}")) == "participants"
    assert chosen(alex.get(f"{PAGE}?reply={alone.id}")) == "participant:sam"


def test_a_reply_to_a_direct_message_among_several_goes_to_all_of_them(scene, browser_of):
    message = scene.say("sam", "hello", ["participant:alex", "participant:mo"])
    alex = browser_of("alex")
    page = alex.get(f"{PAGE}?reply={message.id}")
    assert chosen(page) == "participant:mo,participant:sam"
    assert "Only Mo, Sam and you" in source(page)
    assert "Send to Mo and Sam alone" in source(page)
    assert say(alex, "to both", chosen(page), reply_to=message.id).status_code == 302
    reply = Message.objects.get(text="to both")
    assert (set(reply.targets), str(reply.reply_to_id)) == ({"mo", "sam"}, message.id)
    for handle, sees in (("sam", True), ("mo", True), ("vic", False)):
        assert ("to both" in words(browser_of(handle).get(PAGE))) is sees


def test_a_reply_to_one_who_has_left_stands_on_nobody_rather_than_on_all(scene, browser_of):
    message = scene.say("sam", "hello", "participant:alex")
    scene.session.memberships.filter(person__handle__spelled="sam").update(left_at="2026-01-01T00:00Z")
    alex = browser_of("alex")
    assert chosen(alex.get(f"{PAGE}?reply={message.id}")) == ""
    refused = say(alex, "kumquat", "participant:sam", reply_to=message.id)
    assert (refused.status_code, chosen(refused)) == (422, "")
    assert "kumquat</textarea>" in source(refused)
    assert not Message.objects.filter(text="kumquat").exists()


def test_where_nobody_was_chosen_that_is_said(scene, browser_of):
    assert "Choose who hears this" in words(say(browser_of("alex"), "hello", ""))


def test_a_refused_reply_stays_a_reply(scene, browser_of):
    message = scene.say("sam", "hello")
    refused = say(browser_of("alex"), "x" * 9000, "active_agent", reply_to=message.id)
    assert "Replying to Sam: hello" in words(refused)
    assert f'name="reply_to" value="{message.id}"' in source(refused)


@pytest.mark.parametrize("reply", ["", "nonsense", "00000000-0000-4000-8000-000000000000"])
def test_a_reply_to_nothing_is_no_reply(scene, browser_of, reply):
    page = browser_of("alex").get(f"{PAGE}?reply={reply}")
    assert (page.status_code, chosen(page)) == (200, "participants")


def test_the_form_posts_and_goes_to_what_was_posted(scene, browser_of):
    alex = browser_of("alex")
    answer = say(alex, "by the form")
    message = Message.objects.get()
    assert (answer.status_code, answer.url) == (302, f"{PAGE}#m-{message.id}")
    assert (message.text, message.audience, message.source) == ("by the form", "participants", {"client": "web"})
    assert "by the form" in words(browser_of("sam").get(PAGE))


def test_the_form_reaches_each_audience_that_it_offers(scene, browser_of):
    alex = browser_of("alex")
    for n, value in enumerate(offered(alex.get(PAGE))):
        assert say(alex, "hello", value, f"key-{n}").status_code == 302, value
    assert Message.objects.count() == len(offered(alex.get(PAGE)))


def test_sending_a_form_twice_says_it_once(scene, browser_of):
    alex = browser_of("alex")
    first, second = say(alex), say(alex)
    assert first.url == second.url
    assert Message.objects.count() == 1


def test_one_key_for_another_text_is_refused_and_the_text_kept(scene, browser_of):
    alex = browser_of("alex")
    say(alex)
    answer = say(alex, "another text")
    assert answer.status_code == 409
    assert "another text</textarea>" in source(answer)
    assert Message.objects.count() == 1


def test_a_refusal_keeps_text_and_audience_and_offers_a_fresh_key(scene, browser_of):
    answer = say(browser_of("alex"), "x" * 9000, "active_agent")
    assert answer.status_code == 413
    assert "x" * 9000 in source(answer)
    assert chosen(answer) == "active_agent"
    assert "Your text is kept" in words(answer)
    assert 'name="client_key" value="key"' not in source(answer)
    assert not Message.objects.exists()


def test_what_a_role_may_not_is_refused_however_the_form_was_made(scene, browser_of):
    assert say(browser_of("vic"), "hello", "active_agent").status_code == 403
    assert say(browser_of("gus"), "hello", "participant:sam").status_code == 403
    assert not Message.objects.exists()


@pytest.mark.parametrize("audience", ["", "system", "nonsense", "participant:xan", "agent:nobody"])
def test_what_is_no_audience_is_refused(scene, browser_of, audience):
    assert say(browser_of("alex"), "hello", audience).status_code == 422
    assert not Message.objects.exists()


def test_nothing_said_is_nothing_posted(scene, browser_of):
    for text in ("", "   ", "\n"):
        assert say(browser_of("alex"), text).status_code == 422
    assert not Message.objects.exists()


def test_the_form_keeps_line_breaks_as_a_script_would_send_them(scene, browser_of):
    say(browser_of("alex"), "one\r\ntwo")
    assert Message.objects.get().text == "one\ntwo"


def test_the_newest_page_is_live_and_older_ones_lead_back(scene, browser_of):
    for n in range(55):
        scene.say("alex", f"message {n:02}")
    alex = browser_of("alex")
    newest = alex.get(PAGE)
    assert "data-live" in source(newest)
    assert "message 54" in words(newest)
    assert "message 04" not in words(newest)
    link = re.search(r'href="(\?before=\d+)"', source(newest))
    assert link
    older = alex.get(PAGE + link.group(1))
    assert "data-live" not in source(older)
    assert "message 04" in words(older)
    assert "message 05" not in words(older)
    assert "Back to now" in words(older)


@pytest.mark.parametrize("before", ["", "x", "-1", "1" * 40, "٣"])
def test_a_place_that_is_none_shows_the_newest(scene, browser_of, before):
    scene.say("alex", "hello")
    assert "hello" in words(browser_of("alex").get(f"{PAGE}?before={before}"))


def test_the_page_knows_how_far_it_is(scene, browser_of):
    scene.say("alex", "hello", "active_agent")
    seq = Clock.objects.get(session=scene.session.id).seq
    assert f'data-seq="{seq}"' in source(browser_of("alex").get(PAGE))


def test_talk_among_people_and_talk_with_agents_can_be_seen_apart(scene, browser_of):
    scene.say("alex", "kumquat")
    scene.asked("alex", "a question")
    alex = browser_of("alex")
    human, agent = words(alex.get(f"{PAGE}?show=human")), words(alex.get(f"{PAGE}?show=agent"))
    assert ("kumquat" in human, "a question" in human) == (True, False)
    assert ("kumquat" in agent, "a question" in agent) == (False, True)


def test_a_session_is_found_by_its_id_and_shown_under_its_name(scene, browser_of):
    answer = browser_of("alex").get(f"/s/{scene.session.id}/")
    assert (answer.status_code, answer.url) == (302, PAGE)


def test_what_people_write_is_text_and_never_markup(scene, browser_of):
    attack = "<img src=x onerror=alert(1)><script>alert(1)</script>\"'</textarea></article>"
    scene.say("alex", attack)
    Person.objects.filter(handle__spelled="sam").update(name=attack[:80])
    type(scene.session).objects.filter(id=scene.session.id).update(title=attack[:120])
    scene.say("sam", "hello")
    page = source(browser_of("alex").get(PAGE))
    assert "<img" not in page
    assert "<script>" not in page
    assert "&lt;img src=x onerror" in page


def test_pages_hold_no_script_or_style_of_their_own(scene, browser_of):
    message = scene.asked()
    alex = browser_of("alex")
    for path in ("/", PAGE, f"{PAGE}as/mirror/", f"{PAGE}m/{message.id}/", "/sign-in/x"):
        answer = alex.get(path)
        page = source(answer)
        assert not re.search(r"<script(?![^>]*\ssrc=)", page), path
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page), path
        policy = answer["Content-Security-Policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy


@pytest.mark.parametrize("part", ["people", "who", "checklist"])
def test_a_part_can_be_had_alone(scene, browser_of, part):
    answer = browser_of("alex").get(f"{PAGE}part/{part}")
    assert answer.status_code == 200
    assert "<html" not in source(answer)


def test_the_choices_alone_keep_what_was_chosen(scene, browser_of):
    alex = browser_of("alex")
    assert chosen(alex.get(f"{PAGE}part/who?chosen=agent:scout")) == "agent:scout"
    assert chosen(alex.get(f"{PAGE}part/who?chosen=agent:gone")) == ""
    assert chosen(alex.get(f"{PAGE}part/who?chosen=participant:gone")) == ""
    both = "participant:mo,participant:sam"
    assert chosen(alex.get(f"{PAGE}part/who?chosen={both}")) == both
    assert both not in offered(browser_of("gus").get(f"{PAGE}part/who?chosen={both}"))


def test_there_are_no_other_parts(scene, browser_of):
    assert browser_of("alex").get(f"{PAGE}part/base").status_code == 404


def test_who_joins_is_on_the_page(scene, browser_of):
    alex = browser_of("alex")
    assert "Xan" not in words(alex.get(f"{PAGE}part/people"))
    join(scene.session, Person.objects.get(handle__spelled="xan"), Role.MEMBER)
    assert "Xan" in words(alex.get(f"{PAGE}part/people"))


def test_a_page_takes_the_same_number_of_queries_whatever_was_said(scene, browser_of, django_assert_max_num_queries):
    alex = browser_of("alex")
    alex.get(PAGE)
    with django_assert_max_num_queries(30) as few:
        alex.get(PAGE)
    for n in range(20):
        post_one(Draft(person("alex"), scene.session.id, f"{n}", "everyone"))
    with django_assert_max_num_queries(len(few) + 2):
        alex.get(PAGE)


@pytest.mark.parametrize("answers", ["everyone", "participants"])
def test_before_asking_it_is_said_whether_other_agents_get_the_answer(scene, browser_of, answers):
    type(scene.session).objects.filter(id=scene.session.id).update(answers=answers)
    assert ("Scout gets the answer, too." in words(browser_of("alex").get(PAGE))) == (answers == "everyone")


def test_what_all_are_told_waits_for_the_next_question_of_an_agent_that_is_asked(scene, browser_of):
    scene.say("alex", "hello", "everyone")
    shown = words(browser_of("alex").get(PAGE))
    assert "Mirror gets this with the next question" in shown
    assert "Scout gets this when it next listens" in shown


def test_seen_as_an_agent_people_have_their_names(scene, browser_of):
    scene.say("alex", "hello", "active_agent")
    shown = words(browser_of("sam").get(f"{PAGE}as/mirror/"))
    assert "From Alex" in shown
    assert "@alex" in shown


def test_a_page_that_is_only_asked_for_its_head_answers(scene, browser_of, client):
    alex = browser_of("alex")
    for path in ("/", PAGE, f"{PAGE}as/mirror/", f"{PAGE}part/people"):
        assert alex.head(path).status_code == 200, path
    assert client.head("/sign-in/").status_code == 200
    assert client.head("/").status_code == 302


def test_browsers_find_the_icon_where_they_look_by_habit(client):
    answer = client.get("/favicon.ico")
    assert answer.status_code == 302
    assert answer.url.endswith(".svg")


def test_words_for_whom_one_may_speak_to_no_more_are_kept_and_stand_on_nobody(scene, browser_of):
    given = {"text": "for the agent", "audience": "active_agent", "client_key": "k1"}
    answer = browser_of("vic").post(f"{PAGE}post", given)
    assert answer.status_code == 403
    assert "for the agent" in source(answer)
    assert "Your role here does not let you ask the agent" in words(answer)
    assert chosen(answer) == ""


def test_who_may_steer_finds_the_button_s_words_for_it(scene, browser_of):
    page = source(browser_of("sam").get(PAGE))
    assert 'data-send="Queue for Mirror"' in page
    assert 'data-send="Steer Mirror"' in page
    assert "Steer Mirror" not in source(browser_of("vic").get(PAGE))


def test_the_first_link_leads_to_the_message_box(scene, browser_of):
    links = re.findall(r'<a class="skip" href="(#[^"]*)">([^<]*)', source(browser_of("sam").get(PAGE)))
    assert links[0] == ("#text", "Skip to the message box")
