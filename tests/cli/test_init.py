"""`earshot init` and `earshot demo leave` on the command line."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError

from collab.cli import asking
from collab.cli.main import main
from collab.cli.owner import in_words
from collab.processes import schema
from messaging.actions.demo import seed
from messaging.roster.models import Account, Installation, Person, Session, SignInLink
from tests.cli.conftest import earshot
from tests.services.earshot import Installation as Place

LINK = re.compile(r"https://earshot\.example\.org/sign-in/\S+")


def owner() -> str:
    return str(Installation.the().owner)


def test_an_owner_a_session_and_a_link(installation: None, capsys: pytest.CaptureFixture[str]):
    assert main(["init", "--handle", "kim", "--name", "Kim", "--email", "kim@example.org", "--session", "Ours"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "kim owns this installation, and the session ours is open" in out
    assert len(LINK.findall(out)) == 1
    assert SignInLink.objects.get().person == Installation.the().owner
    assert set(Person.objects.values_list("handle__spelled", "name", "email")) == {("kim", "Kim", "kim@example.org")}


def test_a_second_time_it_says_who_owns_it_and_what_to_do(installation: None, capsys: pytest.CaptureFixture[str]):
    main(["init", "--handle", "kim", "--yes"])
    capsys.readouterr()
    assert main(["init", "--handle", "xan", "--yes"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "earshot: kim owns this installation already: `earshot link kim` prints a sign-in link\n"
    assert not Person.objects.filter(handle__spelled="xan").exists()


def test_on_the_demo_it_points_at_the_way_out(installation: None, capsys: pytest.CaptureFixture[str]):
    seed()
    assert main(["init", "--handle", "kim", "--yes"]) == 1
    assert capsys.readouterr().err == (
        "earshot: this is the demo, owned by alex: `earshot demo leave` makes it your own\n"
    )


@pytest.mark.parametrize("words", [["init"], ["init", "--handle", "kim"], ["demo", "leave"]])
def test_where_nobody_can_be_asked_what_is_missing_is_named(
    words: list[str], installation: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    if words[0] == "demo":
        seed()
    assert main(words) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert "is missing, and there is no terminal to ask at" in err
    assert not Person.objects.filter(handle__spelled="kim").exists()


def test_at_a_terminal_it_asks(installation: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    typed, asked = iter(["kim", "", "kim@example.org", ""]), []

    def answer(words: str) -> str:
        asked.append(words)
        return next(typed)

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", answer)
    assert main(["init"]) == 0
    assert asked == [
        "Owner's handle (letters, digits, _ and -, for life): ",
        "Name [kim]: ",
        "E-mail [none]: ",
        "First session [Home]: ",
    ]
    assert set(Person.objects.values_list("name", "email")) == {("kim", "kim@example.org")}
    assert Session.objects.filter(slug="home").exists()


@pytest.mark.parametrize(
    ("handle", "email", "told"), [("no handle", "", "handle takes letters"), ("kim", "nowhere", "email is no address")]
)
def test_what_cannot_be_taken_is_named(
    handle: str, email: str, told: str, installation: None, capsys: pytest.CaptureFixture[str]
):
    assert main(["init", "--handle", handle, "--email", email, "--yes"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line
    assert Installation.the().owner is None


def test_what_asks_nothing_says_what_has_no_default(installation: None, capsys: pytest.CaptureFixture[str]):
    assert main(["init", "--yes"]) == 2
    assert capsys.readouterr().err == (
        "earshot: --handle is missing: --yes asks nothing, and there is no default for who owns the installation\n"
    )


@pytest.mark.processes
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--handle", "no handle", "--yes"], 1),
        (["--handle", "system", "--yes"], 1),
        (["--handle", "kim", "--email", "nowhere", "--yes"], 1),
        (["--handle", "kim", "--session", " ", "--yes"], 1),
        (["--handle", "kim"], 2),
        (["--yes"], 2),
    ],
)
def test_a_refusal_leaves_no_database_behind(own: Place, words: list[str], code: int):
    done = earshot(own, "init", *words)
    assert (done.returncode, len(done.stderr.splitlines())) == (code, 1), done.stderr
    assert list(own.home.glob("*sqlite3*")) == []
    # The control: what is taken makes one.
    if words[:2] == ["--handle", "kim"]:
        assert earshot(own, "init", "--handle", "kim", "--yes").returncode == 0
        assert list(own.home.glob("*.sqlite3")) != []


def test_an_owner_that_the_configuration_names_is_the_only_one(
    installation: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(settings, "CONFIGURATION", SimpleNamespace(owner="kim"), raising=False)
    assert main(["init", "--handle", "xan", "--yes"]) == 1
    assert "EARSHOT_CONFIG names kim as the owner, and --handle xan" in capsys.readouterr().err
    assert main(["init", "--yes"]) == 0
    assert owner() == "kim"


def test_a_refusal_of_several_fields_is_one_line():
    error = ValidationError({"handle": "is odd", "email": ["is no address"]})
    assert in_words("k", error) == "handle is odd; email is no address (owner 'k')"


def test_leaving_the_demo_says_what_it_does_and_asks(
    installation: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    seed()
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda words: "n" if "y/N" in words else "")
    assert main(["demo", "leave", "--owner", "kim"]) == 1
    out, err = capsys.readouterr()
    assert err == "earshot: nothing was changed\n"
    assert "alex, mo, sam, vic, gus, xan cannot sign in any more" in out
    assert owner() == "alex"
    assert Account.objects.filter(is_active=True).count() == 6


def test_leaving_the_demo(installation: None, capsys: pytest.CaptureFixture[str]):
    seed()
    assert main(["demo", "leave", "--owner", "kim", "--yes"]) == 0
    assert len(LINK.findall(capsys.readouterr().out)) == 1
    assert owner() == "kim"
    assert list(Account.objects.filter(is_active=True).values_list("username", flat=True)) == ["kim"]
    assert main(["demo", "leave", "--owner", "kim", "--yes"]) == 1
    assert "has been left already" in capsys.readouterr().err


def test_nobody_of_the_demo_is_named_its_new_owner(installation: None, capsys: pytest.CaptureFixture[str]):
    seed()
    assert main(["demo", "leave", "--owner", "sam", "--yes"]) == 1
    assert "sam belongs to the demo" in capsys.readouterr().err


def test_waiting_ends_when_it_is_so_or_when_the_time_is_over():
    assert asking.until(lambda: True, 0)
    assert not asking.until(lambda: False, 0.01, every=0.001)
    seen = iter([False, False, True])
    assert asking.until(lambda: next(seen), 5, every=0.001)


@pytest.mark.parametrize("words", [["link", "kim"], ["init", "--handle", "kim", "--yes"], ["check"]])
def test_a_database_of_another_version_is_told_in_one_sentence(
    words: list[str], installation: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    for name, value in {"REDIS_URL": "redis://127.0.0.1:1", "SECRET_KEY": "x" * 40}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(schema, "pending", lambda *_: ("journal.0002_more",))
    assert main(words) == 1
    out, err = capsys.readouterr()
    told = "the database is not migrated to this version; `earshot up` does it, in a fleet `earshot manage migrate`\n"
    assert told in (out if words == ["check"] else err)
    assert Installation.the().owner is None
