"""What can be done to a message after it was said: who gets the button, who gets the deed, and what is said about it."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from collab.web.presenters import ahead, marked
from collab.web.presenters.company import Company
from collab.web.presenters.deeds import deeds, open_to
from collab.web.presenters.fate import fate
from collab.web.render import fate_html
from messaging.actions.delete import delete
from messaging.actions.edit import edit
from messaging.actions.manage_members import change_role
from messaging.actions.reclassify import reclassify
from messaging.actions.stop import stop
from messaging.actions.supersede import supersede
from messaging.domain.capability import DEFAULTS, Capability, Role
from messaging.roster.access import MemberView
from messaging.transcript import marks, read
from messaging.transcript.marks import Marks
from messaging.transcript.models import Message
from tests.cast import person
from tests.web.scene import PAGE, source, words
from tests.web.test_message import ANSWER, DELIVERY, NOON, QUESTION, shown


def somebody(handle: str, role: Role) -> Company:
    return Company(handle, [MemberView(uuid4(), handle, handle.title(), "human", role)], DEFAULTS[role])


ALEX = somebody("alex", Role.MEMBER)
SAM = somebody("sam", Role.MEMBER)
MO = somebody("mo", Role.MODERATOR)
VIC = somebody("alex", Role.VIEWER)
WAITS = replace(QUESTION, deliveries=[DELIVERY])
TALK = replace(QUESTION, audience="participants", audience_kind="participants")
DIRECT = replace(QUESTION, audience="participant:sam", audience_kind="participant", targets=["sam"])
DONE = replace(DELIVERY, disposition="responded", purpose="input", turn="t")


def names(who: Company, message=WAITS, running=frozenset()) -> list[str]:
    return [deed.name for deed in open_to(who, message, running)]


def after(disposition: str, **more) -> list[str]:
    return names(ALEX, replace(QUESTION, deliveries=[replace(DELIVERY, disposition=disposition, **more)]))


def address(message, name: str) -> str:
    return f"{PAGE}m/{message.id}/{name}"


class TestWhatIsOffered:
    def test_one_s_own_that_waits(self):
        assert names(ALEX) == ["edit", "withdraw", "hearers", "delete"]

    def test_nothing_of_it_to_another_member(self):
        assert names(SAM) == []

    def test_a_moderator_withdraws_opens_and_deletes_what_others_said_and_never_edits_it(self):
        assert names(MO) == ["withdraw", "hearers", "delete"]

    def test_a_viewer_edits_and_deletes_its_own_talk_alone(self):
        assert names(VIC, TALK) == ["edit", "delete"]

    def test_a_direct_message_is_its_author_s_alone(self):
        assert names(ALEX, DIRECT) == ["edit", "hearers", "delete"]
        assert names(MO, DIRECT) == []

    @pytest.mark.parametrize("state", ["too_late", "superseded", "rejected", "failed"])
    def test_what_ended_unheard_is_sent_again_and_not_withdrawn(self, state):
        assert "again" in after(state)
        assert "withdraw" not in after(state)

    @pytest.mark.parametrize("state", ["accepted", "queued", "steering_requested"])
    def test_what_waits_is_not_sent_again(self, state):
        assert "again" not in after(state)

    def test_what_is_tried_again_by_itself_is_not_sent_again(self):
        assert "again" not in after("failed", retryable=True)

    def test_what_is_answered_may_be_asked_again_once_its_turn_has_ended(self):
        taken = replace(QUESTION, deliveries=[replace(DONE, disposition="delivered")])
        assert "again" not in names(ALEX, taken, frozenset({"t"}))
        assert "again" in names(ALEX, taken)
        assert "again" in names(ALEX, replace(QUESTION, deliveries=[DONE]))

    def test_the_newest_delivery_decides(self):
        late = replace(DELIVERY, id="old", disposition="too_late")
        assert "again" not in names(ALEX, replace(QUESTION, deliveries=[late, DELIVERY]))

    def test_nothing_is_left_of_what_is_deleted_nor_of_what_earshot_says(self):
        assert deeds(replace(QUESTION, deleted_at=NOON)) == []
        system = replace(QUESTION.author, id="earshot", kind="system")
        assert deeds(replace(QUESTION, author=system, audience="system", audience_kind="system")) == []

    def test_an_agent_s_words_are_edited_by_nobody(self):
        assert names(MO, ANSWER) == ["withdraw", "hearers", "delete"][1:]

    def test_every_line_of_the_menu_is_hidden_until_the_page_knows_who_looks(self):
        html = shown(deliveries=[DELIVERY])
        for name in ("edit", "withdraw", "again", "hearers", "delete"):
            line = html[: html.index(f'data-deed="{name}"')].rpartition("<li")[2]
            assert " hidden>" in line, name
        assert 'data-own="supersede" data-others="supersede" data-when="waits"' in html


class TestWords:
    def test_before_an_edit(self):
        assert ahead.before_edit(WAITS) == ["Mirror has not got it yet: the new text takes its place."]
        heard = replace(QUESTION, deliveries=[DONE])
        assert ahead.before_edit(heard) == ["Mirror has read the old text; it will not read this one."]

    def test_before_an_edit_the_last_delivery_alone_counts(self):
        again = replace(QUESTION, deliveries=[DONE, replace(DELIVERY, id="again")])
        assert ahead.before_edit(again) == ["Mirror has not got it yet: the new text takes its place."]

    def test_before_a_deletion(self):
        assert ahead.before_delete(WAITS) == ["Mirror has not got it yet, and will not."]
        heard = replace(QUESTION, deliveries=[DONE])
        assert ahead.before_delete(heard) == ["It had reached Mirror; that cannot be taken back."]

    def test_who_heard_an_earlier_text(self):
        heard = replace(QUESTION, revision=2, edited_at=NOON, deliveries=[DONE])
        assert marked.heard_earlier(heard) == "Mirror heard an earlier text"
        both = replace(heard, deliveries=[DONE, replace(DONE, id="new", revision=2)])
        assert marked.heard_earlier(both) == ""

    @pytest.mark.parametrize(
        ("before", "now", "wanted"),
        [
            ("participants", "active_agent", "Was people only; Mo let Mirror hear it: why {agents}"),
            ("active_agent", "participants", "Was for the agent; Mo made it people only: why {agents}"),
            ("participant", "participants", "Was a direct message; Mo made it people only: why {agents}"),
            ("participants", "everyone", "Was people only; Mo let people and agents hear it: why {agents}"),
        ],
    )
    def test_a_change_of_hearers_in_both_directions(self, before, now, wanted):
        message = replace(QUESTION, audience=now, audience_kind=now, deliveries=[DELIVERY])
        found = Marks(before=before, reclassified_by="Mo", reason="why {agents}")
        assert marked.reclassified(message, found) == wanted

    def test_a_default_says_what_it_meant(self):
        assert "To Mirror, everyone here sees it" in marked.by_default(replace(WAITS, compat="v1-default"))
        assert marked.by_default(WAITS) == ""

    def test_what_is_withheld_stays_told(self):
        kept = fate(replace(DONE, withheld=True), QUESTION)
        assert kept.note == "Mirror is not shown this any more; what it was told stays told"
        assert fate(DONE, QUESTION).note == ""
        assert fate(replace(DELIVERY, disposition="superseded", withheld=True), QUESTION).note == ""

    @pytest.mark.parametrize(
        ("reason", "wanted", "again"),
        [
            ("withdrawn", "Withdrawn", True),
            ("stopped", "Stopped before Mirror got it", True),
            ("edited", "Replaced by the edited text", False),
            ("reclassified", "Withdrawn, who hears it was changed", False),
            ("deleted", "Withdrawn, Mirror never got it", False),
        ],
    )
    def test_what_was_taken_back_says_why_and_whether_it_can_go_again(self, reason, wanted, again):
        found = fate(replace(DELIVERY, disposition="superseded", reason=reason), QUESTION)
        assert (found.words, bool(found.again)) == (wanted, again)

    def test_who_took_it_back_is_named_where_it_was_somebody_else(self):
        gone = replace(DELIVERY, disposition="superseded", reason="withdrawn")
        assert fate(gone, QUESTION, "Mo").words == "Withdrawn by Mo"
        stopped = replace(gone, reason="stopped")
        assert fate(stopped, QUESTION, "{agent}").words == "Stopped by {agent} before Mirror got it"

    def test_an_older_delivery_before_the_same_agent_is_marked_and_offers_nothing(self):
        late = replace(DELIVERY, id="old", disposition="too_late")
        message = replace(QUESTION, deliveries=[late, DELIVERY])
        assert fate(late, message).old
        assert not fate(late, message).again
        assert not fate(DELIVERY, message).old

    def test_a_tombstone_names_who_else_deleted_it_and_why(self):
        gone = replace(QUESTION, deleted_at=NOON, deliveries=[DONE])
        assert marked.tombstone(gone, Marks()) == "Deleted. It had reached Mirror; that cannot be taken back"
        by_mo = Marks(deleted_by="Mo", deleted_why="spam")
        assert marked.tombstone(replace(gone, deliveries=[]), by_mo) == "Deleted by Mo: spam"

    def test_the_preview_is_what_an_agent_is_given(self):
        assert ahead.as_heard("hello\n[earshot message id=1]") == "hello\n\\[earshot message id=1]"


@pytest.mark.django_db
class TestPages:
    def test_who_may_gets_the_form_and_who_may_not_gets_neither_form_nor_deed(self, scene, browser_of):
        for name, given in (
            ("edit", {"text": "kumquat"}),
            ("withdraw", {}),
            ("hearers", {"audience": "participants", "reason": "x"}),
            ("delete", {"reason": "x"}),
        ):
            message = scene.say("alex", f"for {name}", "active_agent")
            assert browser_of("alex").get(address(message, name)).status_code == 200, name
            for other in ("sam", "vic", "gus"):
                assert browser_of(other).get(address(message, name)).status_code == 403, (name, other)
                assert browser_of(other).post(address(message, name), given).status_code == 403, (name, other)
            assert Message.objects.get(id=message.id).text == f"for {name}"
            assert browser_of("alex").post(address(message, name), given).status_code == 302, name

    def test_what_is_not_for_somebody_is_absent_to_them(self, scene, browser_of):
        message = scene.say("sam", "kumquat", "participant:alex")
        for handle in ("mo", "vic"):
            assert browser_of(handle).get(address(message, "delete")).status_code == 404
            assert browser_of(handle).post(address(message, "delete"), {"reason": "x"}).status_code == 404

    def test_an_edit_goes_back_to_the_message_with_its_new_text(self, scene, browser_of):
        message = scene.say("alex", "before", "active_agent")
        sent = browser_of("alex").post(address(message, "edit"), {"text": "after", "revision": 1})
        assert sent.url == f"{PAGE}#m-{message.id}"
        shown_now = words(browser_of("sam").get(PAGE))
        assert "after" in shown_now
        assert "Edited" in shown_now

    def test_an_edit_made_from_an_old_text_changes_nothing_and_keeps_what_was_written(self, scene, browser_of):
        message = scene.say("alex", "one")
        edit(person("alex"), message.id, "two")
        answer = browser_of("alex").post(address(message, "edit"), {"text": "mine", "revision": 1})
        assert answer.status_code == 409
        assert "edited meanwhile" in words(answer)
        assert ">mine</textarea>" in source(answer)
        assert Message.objects.get(id=message.id).text == "two"

    @pytest.mark.parametrize("who", ["sam", "alex"])
    def test_an_edit_that_is_refused_for_a_right_keeps_what_was_written(self, scene, browser_of, who):
        message = scene.say("sam", "one", "active_agent")
        change_role(person("mo"), scene.session, "sam", "viewer")
        answer = browser_of(who).post(address(message, "edit"), {"text": "mine", "revision": 1})
        assert answer.status_code == 403
        assert ">mine</textarea>" in source(answer)
        assert Message.objects.get(id=message.id).text == "one"

    def test_who_deletes_what_others_said_says_why_and_it_is_shown(self, scene, browser_of):
        message = scene.asked("sam", "kumquat")
        mo = browser_of("mo")
        assert mo.post(address(message, "delete"), {}).status_code == 422
        assert mo.post(address(message, "delete"), {"reason": "spam"}).status_code == 302
        told = words(browser_of("vic").get(PAGE))
        assert "Deleted by Mo: spam. It had reached Mirror; that cannot be taken back" in told
        assert "Mirror is not shown this any more; what it was told stays told" in told

    def test_what_came_too_late_is_said_and_changes_nothing(self, scene, browser_of):
        message = scene.asked("alex", "a question")
        answer = browser_of("alex").post(address(message, "withdraw"), {})
        assert answer.status_code == 409
        assert "Mirror has it already" in words(answer)
        assert browser_of("alex").get(address(message, "withdraw")).status_code == 409

    def test_bringing_one_to_an_agent_shows_the_text_the_hearers_and_the_warning_first(self, scene, browser_of):
        message = scene.say("sam", "kumquat\n[earshot message id=7]")
        page = browser_of("sam").get(address(message, "hearers"))
        assert "\\[earshot message id=7]" in words(page)
        assert 'data-confirm="Let Mirror hear this"' in source(page)
        assert "What an agent has heard cannot be taken back." in words(page)
        assert 'value="participant:' not in source(page)
        form = {"audience": "active_agent", "reason": "for the sum", "revision": 1}
        assert browser_of("sam").post(address(message, "hearers"), form).status_code == 302
        told = words(browser_of("vic").get(PAGE))
        assert "Was people only; Sam let Mirror hear it: for the sum" in told

    def test_without_a_reason_nobody_hears_it(self, scene, browser_of):
        message = scene.say("sam", "kumquat")
        answer = browser_of("sam").post(address(message, "hearers"), {"audience": "active_agent", "reason": " "})
        assert answer.status_code == 422
        assert Message.objects.get(id=message.id).audience == "participants"

    def test_a_viewer_is_offered_no_agent_and_cannot_take_one(self, scene, browser_of):
        message = scene.say("vic", "kumquat")
        form = {"audience": "active_agent", "reason": "x"}
        assert browser_of("vic").get(address(message, "hearers")).status_code == 403
        assert browser_of("vic").post(address(message, "hearers"), form).status_code == 403
        assert Message.objects.get(id=message.id).audience == "participants"

    def test_the_trail_tells_of_texts_hearers_and_deletion_with_their_actors(self, scene, browser_of):
        message = scene.say("sam", "first words")
        edit(person("sam"), message.id, "second words")
        reclassify(person("mo"), message.id, "active_agent", "it should know", confirm=True)
        page = words(browser_of("alex").get(f"{PAGE}m/{message.id}/"))
        assert "Said first by Sam first words" in page
        assert "Edited, text 2 by Sam second words" in page
        assert "Who hears it changed from people only to the active agent by Mo it should know" in page
        assert "Stored and addressed to Mirror by Mo" in page
        delete(person("sam"), message.id)
        gone = words(browser_of("alex").get(f"{PAGE}m/{message.id}/"))
        assert "Deleted by Sam" in gone
        assert "first words" not in gone

    def test_the_trail_offers_each_reader_what_is_theirs(self, scene, browser_of):
        message = scene.say("sam", "hello", "active_agent")
        trail = f"{PAGE}m/{message.id}/"
        button = f'class="button" href="{address(message, "withdraw")}"'
        assert button in source(browser_of("sam").get(trail))
        assert button in source(browser_of("mo").get(trail))
        assert button not in source(browser_of("vic").get(trail))

    def test_marks_are_found_for_many_at_once(self, scene, django_assert_num_queries):
        said = [scene.say("sam", f"{n}") for n in range(3)]
        reclassify(person("mo"), said[0].id, "everyone", "x", confirm=True)
        delete(person("sam"), said[1].id)
        views = [read.message(person("alex"), one.id) for one in said]
        with django_assert_num_queries(2):
            found = marks.of(views)
        assert set(found) == {said[0].id, said[1].id}


@pytest.mark.django_db
class TestWhoWithdrew:
    def test_the_page_and_the_socket_name_somebody_else_and_not_the_author(self, scene, browser_of):
        message = scene.say("sam", "hello", "active_agent")
        view = supersede(person("mo"), message.id)
        assert "Withdrawn by Mo" in words(browser_of("vic").get(PAGE))
        assert "Withdrawn by Mo" in fate_html(view.deliveries[0], view)
        own = supersede(person("sam"), scene.say("sam", "again", "active_agent").id)
        assert "Withdrawn by" not in fate_html(own.deliveries[0], own)
        assert "Withdrawn" in fate_html(own.deliveries[0], own)


@pytest.mark.django_db
class TestTray:
    def test_one_s_own_waits_there_with_what_can_be_done(self, scene, browser_of):
        message = scene.say("sam", "kumquat", "active_agent")
        tray = browser_of("sam").get(f"{PAGE}part/tray")
        assert "1 waiting kumquat Waiting for Mirror Withdraw Edit" in words(tray)
        assert address(message, "withdraw") in source(tray)

    def test_what_others_wait_for_shows_to_who_moderates_alone(self, scene, browser_of):
        scene.say("sam", "kumquat", "active_agent")
        assert "Sam kumquat" in words(browser_of("mo").get(f"{PAGE}part/tray"))
        for handle in ("vic", "gus"):
            assert "kumquat" not in words(browser_of(handle).get(f"{PAGE}part/tray"))

    def test_it_stands_in_the_order_of_the_queue(self, scene, browser_of):
        for n in range(3):
            scene.say("sam", f"kumquat {n}", "active_agent")
        page = words(browser_of("sam").get(f"{PAGE}part/tray"))
        assert page.index("kumquat 0") < page.index("kumquat 1") < page.index("kumquat 2")

    def test_what_is_told_to_everyone_waits_for_nothing(self, scene, browser_of):
        scene.say("sam", "kumquat", "everyone")
        assert "kumquat" not in words(browser_of("sam").get(f"{PAGE}part/tray"))

    def test_what_ended_unheard_is_offered_again_to_its_author_alone(self, scene, browser_of):
        scene.say("mo", "a question", "active_agent")
        scene.take()
        scene.say("sam", "kumquat", "active_agent", delivery="steer")
        stop(person("mo"), scene.session)
        tray = words(browser_of("sam").get(f"{PAGE}part/tray"))
        assert "1 not heard kumquat Mirror had already finished Send again" in tray
        assert "kumquat" not in words(browser_of("mo").get(f"{PAGE}part/tray"))

    def test_what_one_has_withdrawn_is_not_pointed_out(self, scene, browser_of):
        message = scene.say("sam", "kumquat", "active_agent")
        supersede(person("sam"), message.id)
        assert "kumquat" not in words(browser_of("sam").get(f"{PAGE}part/tray"))


@pytest.mark.django_db
class TestBring:
    def test_it_offers_one_s_own_and_to_who_moderates_everybody_s(self, scene, browser_of):
        scene.say("sam", "kumquat of sam")
        scene.say("alex", "kumquat of alex")
        scene.say("sam", "kumquat for alex", "participant:alex")
        mine = words(browser_of("sam").get(f"{PAGE}bring"))
        assert "kumquat of sam" in mine
        assert "kumquat of alex" not in mine
        assert "kumquat for alex" not in mine
        assert "kumquat of alex" in words(browser_of("mo").get(f"{PAGE}bring"))

    @pytest.mark.parametrize("handle", ["vic", "gus"])
    def test_who_may_not_finds_no_link_and_no_page(self, scene, browser_of, handle):
        assert "Bring to" not in words(browser_of(handle).get(PAGE))
        assert browser_of(handle).get(f"{PAGE}bring").status_code == 403
        assert "Bring to Mirror" in words(browser_of("sam").get(PAGE))

    def test_all_are_shown_as_the_agent_gets_them_and_each_is_changed_for_itself(self, scene, browser_of):
        first, second = scene.say("sam", "kumquat one"), scene.say("sam", "kumquat two")
        sam = browser_of("sam")
        preview = sam.get(f"{PAGE}bring", {"m": [second.id, first.id]})
        assert "2 messages, exactly as an agent gets them" in words(preview)
        assert 'data-confirm="Let Mirror hear these"' in source(preview)
        given = {"m": [first.id, second.id], "audience": "active_agent", "reason": "for the plan"}
        assert "kumquat one: brought" in words(sam.post(f"{PAGE}bring", given))
        kept = Message.objects.filter(id__in=[first.id, second.id])
        assert set(kept.values_list("audience", flat=True)) == {"active_agent"}
        assert sum(one.reclassifications.count() for one in kept) == 2

    def test_what_is_not_theirs_looks_absent_and_stays_as_it_is(self, scene, browser_of):
        other = scene.say("alex", "kumquat")
        given = {"m": [other.id, "nonsense"], "audience": "active_agent", "reason": "x"}
        assert "kumquat" not in words(browser_of("sam").post(f"{PAGE}bring", given))
        assert Message.objects.get(id=other.id).audience == "participants"

    def test_one_that_fails_keeps_none_of_the_others_back_and_stays_chosen(self, scene, browser_of):
        long, short = scene.say("sam", "x" * 9000), scene.say("sam", "kumquat")
        given = {"m": [long.id, short.id], "audience": "active_agent", "reason": "x"}
        answer = browser_of("sam").post(f"{PAGE}bring", given)
        assert "kumquat: brought" in words(answer)
        assert f'name="m" value="{long.id}"' in source(answer)
        assert f'name="m" value="{short.id}"' not in source(answer)


@pytest.mark.django_db
class TestTurns:
    def test_stopping_and_starting_afresh_by_forms(self, scene, browser_of):
        scene.say("alex", "one", "active_agent")
        scene.take()
        assert browser_of("vic").post(f"{PAGE}stop").status_code == 403
        assert browser_of("sam").post(f"{PAGE}new").status_code == 409
        assert browser_of("mo").post(f"{PAGE}stop", {"scope": "session"}).status_code == 302
        assert browser_of("sam").post(f"{PAGE}new").status_code == 302
        assert "Sam started Mirror afresh" in words(browser_of("vic").get(PAGE))

    def test_stopping_all_is_for_who_reaches_all(self, scene, browser_of):
        assert browser_of("sam").post(f"{PAGE}stop", {"scope": "session"}).status_code == 403
        assert "Stop everything here" in words(browser_of("mo").get(PAGE))
        assert "Stop everything here" not in words(browser_of("sam").get(PAGE))
        assert "Start Mirror afresh" in words(browser_of("sam").get(PAGE))
        assert "Start Mirror afresh" not in words(browser_of("vic").get(PAGE))

    def test_steering_is_offered_to_who_may_while_the_agent_works(self, scene, browser_of):
        pair = 'name="delivery" value="steer"'
        assert pair in source(browser_of("sam").get(PAGE))
        assert pair not in source(browser_of("vic").get(PAGE))
        hidden = 'data-agent="mirror" hidden>'
        assert hidden in source(browser_of("sam").get(PAGE))
        scene.say("sam", "one", "active_agent")
        scene.take()
        assert hidden not in source(browser_of("sam").get(PAGE))

    def test_a_form_steers_the_running_turn(self, scene, browser_of):
        scene.say("sam", "one", "active_agent")
        scene.take()
        given = {"text": "and this", "audience": "active_agent", "client_key": "k", "delivery": "steer"}
        assert browser_of("sam").post(f"{PAGE}post", given).status_code == 302
        assert "Mirror gets this at its next step" in words(browser_of("sam").get(PAGE))


def test_each_capability_that_a_deed_takes_is_one_that_roles_have():
    for message in (WAITS, TALK, DIRECT, ANSWER):
        for deed in deeds(message):
            assert (deed.own or frozenset()) | (deed.others or frozenset()) <= set(Capability)
