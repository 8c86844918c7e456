"""Accounts, agents and tokens closed and opened: who may, what ends at once, and what is on record."""

from __future__ import annotations

import io
from uuid import uuid4

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from messaging.actions.close_account import close_account, open_account
from messaging.actions.close_agent import close_agent, open_agent
from messaging.actions.issue_token import issue_token
from messaging.actions.open_session import open_session
from messaging.actions.revoke_token import revoke_token
from messaging.roster import credentials
from messaging.roster.models import Account, Agent, Person, Token
from messaging.transcript.models import AuditEntry
from tests.actions.deeds import refused
from tests.cast import Room, person, token

pytestmark = pytest.mark.django_db


@pytest.fixture
def room() -> Room:
    return Room.open()


def on_record(verb: str) -> list[tuple[str, str, str]]:
    rows = AuditEntry.objects.filter(verb=verb).exclude(detail__change="added").order_by("at")
    return [(row.actor, row.detail["handle"], row.detail["change"]) for row in rows]


DEEDS = {
    "close_account": lambda who: close_account(who, "gus"),
    "open_account": lambda who: open_account(who, "gus"),
    "close_agent": lambda who: close_agent(who, "mirror"),
    "open_agent": lambda who: open_agent(who, "mirror"),
    "revoke_token": lambda who: revoke_token(who, uuid4()),
}


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
@pytest.mark.parametrize("who", ["mo", "sam", "gus", "xan"])
def test_only_who_keeps_the_house_may(room, deed, who):
    """Mo owns and moderates sessions; that is another thing."""
    assert refused(lambda: deed(person(who))) == (403, "no_capability")
    assert Account.objects.get(username="gus").is_active


class TestAccounts:
    def test_a_closed_one_signs_nobody_in_and_its_tokens_are_good_for_nobody(self, room):
        secret = token("sam")
        account = Account.objects.get(username="sam")
        account.set_password("a long pass phrase")
        account.save()
        assert authenticate(username="sam", password="a long pass phrase") == account
        close_account(person("alex"), "sam")
        assert credentials.caller(secret) is None
        assert authenticate(username="sam", password="a long pass phrase") is None
        assert room.refused("sam").status in (401, 404)
        open_account(person("alex"), "sam")
        assert credentials.caller(secret) is not None
        assert room.say("sam", "back")
        assert on_record("account") == [("alex", "sam", "closed"), ("alex", "sam", "opened")]

    def test_the_same_again_leaves_no_second_entry(self, room):
        for _ in range(2):
            close_account(None, "sam")
        for _ in range(2):
            open_account(None, "sam")
        assert on_record("account") == [("house", "sam", "closed"), ("house", "sam", "opened")]

    def test_the_owner_keeps_theirs(self, room):
        assert refused(lambda: close_account(person("alex"), "alex")) == (409, "owner")
        assert Account.objects.get(username="alex").is_active

    def test_what_waits_in_every_session_goes_and_what_others_asked_stays(self, room):
        mirror = Agent.objects.get(handle__spelled="mirror")
        other = open_session(Person.objects.get(handle__spelled="sam"), title="Plans", active_agent=mirror)
        own = [room.say("sam", "here", "active_agent"), Room(other).say("sam", "there", "active_agent")]
        kept = room.say("mo", "mine", "active_agent")
        close_account(person("alex"), "sam")
        assert {room.delivery(one, "mirror").reason for one in own} == {"disabled"}
        assert room.delivery(kept, "mirror").state == "queued"

    @pytest.mark.parametrize("handle", ["nobody", "mirror", ""])
    def test_nobodys_account_is_not_there(self, room, handle):
        assert refused(lambda: close_account(person("alex"), handle)) == (404, "not_found")

    def test_who_has_no_account_is_told_so(self, room):
        Person.objects.filter(handle__spelled="xan").update(account=None)
        assert refused(lambda: close_account(person("alex"), "xan")) == (409, "no_account")


class TestAgents:
    def test_its_token_is_good_for_nobody_until_it_is_in_use_again(self, room):
        secret = token("scout")
        close_agent(person("alex"), "scout")
        assert credentials.caller(secret) is None
        open_agent(person("alex"), "scout")
        assert credentials.caller(secret) is not None
        assert on_record("agent") == [("alex", "scout", "closed"), ("alex", "scout", "opened")]

    def test_the_same_again_leaves_no_second_entry(self, room):
        for _ in range(2):
            close_agent(None, "scout")
        assert on_record("agent") == [("house", "scout", "closed")]

    @pytest.mark.parametrize("handle", ["nobody", "sam"])
    def test_no_agent_of_that_name(self, room, handle):
        assert refused(lambda: close_agent(person("alex"), handle)) == (404, "not_found")


class TestTokens:
    def test_one_is_issued_and_revoked_on_record_and_never_written_down(self, room):
        sam = Person.objects.get(handle__spelled="sam")
        secret, other = issue_token(sam, person("alex")), issue_token(sam)
        row = Token.objects.get(hash=credentials.hashed(secret))
        for _ in range(2):
            revoke_token(person("alex"), row.id)
        assert credentials.caller(secret) is None
        assert credentials.caller(other) is not None
        assert on_record("token") == [("alex", "sam", "issued"), ("house", "sam", "issued"), ("alex", "sam", "revoked")]
        assert not AuditEntry.objects.filter(detail__icontains=secret[4:16]).exists()

    def test_a_token_of_nowhere(self, room):
        assert refused(lambda: revoke_token(person("alex"), uuid4())) == (404, "not_found")

    def test_what_was_said_by_it_waits_on(self, room):
        """By a token one comes in; the right is the person's, who still has it."""
        secret = token("sam")
        own = room.say("sam", "mine", "active_agent", token=credentials.hashed(secret))
        revoke_token(person("alex"), Token.objects.get(person__handle__spelled="sam").id)
        assert room.delivery(own, "mirror").state == "queued"


class TestCommands:
    def run(self, *words: str) -> str:
        out = io.StringIO()
        call_command(*words, stdout=out)
        return out.getvalue()

    def test_accounts_are_closed_and_opened_by_name(self, room):
        assert self.run("close_account", "sam", "gus").split() == ["sam", "gus"]
        assert not Account.objects.get(username="sam").is_active
        assert self.run("open_account", "sam").split() == ["sam"]
        assert Account.objects.get(username="sam").is_active
        assert on_record("account")[-1] == ("house", "sam", "opened")

    @pytest.mark.parametrize(("handle", "words"), [("nobody", "no person"), ("alex", "owner keeps their account")])
    def test_what_is_refused_is_said_in_a_line(self, room, handle, words):
        with pytest.raises(CommandError, match=words):
            self.run("close_account", handle)

    def test_a_token_from_the_command_line_is_on_record(self, room):
        self.run("issue_token", "sam")
        assert on_record("token") == [("house", "sam", "issued")]
