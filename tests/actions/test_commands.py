"""The commands that make people and tokens, as scripts call them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from messaging.actions.enrol import add_person
from messaging.roster import credentials
from messaging.roster.access import Viewer
from messaging.roster.models import Account, Installation, Person, Token

pytestmark = pytest.mark.django_db


def issued(*handles: str) -> list[str]:
    out = io.StringIO()
    call_command("issue_token", *handles, stdout=out)
    return out.getvalue().split()


def test_each_gets_a_token_of_their_own():
    for handle in ("ann", "bob"):
        add_person(handle)
    callers = [credentials.caller(token) for token in issued("ann", "bob")]
    assert [one.handle for one in callers if one] == ["ann", "bob"]


def test_an_account_without_a_person_gets_one_with_its_first_token():
    Account.objects.create_user(username="ann", email="ann@example.org", first_name="Ann", last_name="Other")
    first, second = issued("ann") + issued("ann")
    person = Person.objects.get()
    assert (person.handle.spelled, person.name, person.email) == ("ann", "Ann Other", "ann@example.org")
    assert credentials.caller(first) == credentials.caller(second) == Viewer(person.id, "ann", "Ann Other")


@pytest.mark.parametrize("username", ["ANN", "ann@example.org", "system"])
def test_an_account_whose_name_is_no_handle_or_somebody_else_s_gets_none(username: str):
    add_person("ann")
    add_person("bob")
    Account.objects.create_user(username=username)
    with pytest.raises(CommandError, match=username):
        issued("bob", username)
    assert Person.objects.count() == 2
    assert not Token.objects.exists()


BAD = "handle takes letters, digits, _ and -, at most 64, and no reserved word"


@pytest.mark.parametrize("handle", ["Bad Handle!", "two\nlines", "system", "a" * 65])
def test_a_handle_that_is_none_is_refused_in_one_clear_line(handle: str):
    Account.objects.create(username=handle)
    for command in ("add_person", "issue_token"):
        with pytest.raises(CommandError) as ended:
            call_command(command, handle, stdout=io.StringIO())
        assert str(ended.value) == f"{handle!r}: {BAD}"
    assert not Person.objects.exists()


def test_a_handle_that_is_taken_says_so_once():
    add_person("ann")
    with pytest.raises(CommandError) as ended:
        call_command("add_person", "ANN", stdout=io.StringIO())
    assert str(ended.value) == "ANN is taken, or collides with a handle that is"


def test_nobody_gets_no_token():
    with pytest.raises(CommandError, match="nobody"):
        issued("nobody")


@pytest.mark.parametrize("there", [False, True], ids=["new", "there before"])
def test_the_cast_s_tokens_are_for_the_owner_of_the_file_alone(tmp_path: Path, there: bool):
    file = tmp_path / "tokens.json"
    if there:
        file.write_text("something longer than nothing")
        file.chmod(0o644)
    call_command("seed_demo", tokens=file, stdout=io.StringIO())
    assert file.stat().st_mode & 0o777 == 0o600
    found = json.loads(file.read_text())
    assert set(found) == {"base_url", "session", "tokens"}
    assert credentials.caller(found["tokens"]["alex"])


class Nobody(io.StringIO):
    """Standard input at which nobody sits."""

    def isatty(self) -> bool:
        return False


def test_without_a_terminal_a_password_is_taken_from_the_input(monkeypatch: pytest.MonkeyPatch):
    add_person("ann")
    monkeypatch.setattr("sys.stdin", Nobody("correct horse battery\n" * 2))
    call_command("changepassword", "ann", stdout=io.StringIO())
    assert Account.objects.get(username="ann").check_password("correct horse battery")


@pytest.mark.parametrize("typed", ["", "correct horse battery\n", "\n\n"])
def test_where_no_password_comes_it_is_said_in_a_line(typed: str, monkeypatch: pytest.MonkeyPatch):
    add_person("ann")
    monkeypatch.setattr("sys.stdin", Nobody(typed))
    with pytest.raises(CommandError, match="no password came, and nothing was changed"):
        call_command("changepassword", "ann", stdout=io.StringIO())
    assert not Account.objects.get(username="ann").has_usable_password()


def test_all_agents_are_paused_and_let_go_on_whatever_was_before():
    for options, told, paused in (([], "paused", True), ([], "paused", True), (["--resume"], "going on", False)):
        out = io.StringIO()
        call_command("pause_agents", *options, stdout=out)
        assert out.getvalue().strip() == told
        assert (Installation.paused_since() is not None) is paused
