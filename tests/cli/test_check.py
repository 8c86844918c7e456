"""What `earshot check` looks at: each thing well, wrong with what to do, and mended where it may be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
import redis

from collab import environment
from collab.cli.checks.address import address, secret_key
from collab.cli.checks.agents_redis import name
from collab.cli.checks.database import owner
from collab.cli.checks.line import Line, Verdict, bad, failed, mended, ok
from collab.cli.checks.mail import mail
from collab.cli.checks.models import models
from collab.cli.main import main
from collab.environment import Environment
from messaging.actions.demo import seed
from messaging.actions.enrol import add_agent
from messaging.actions.own import own
from messaging.roster.models import Account, Agent
from tests.cli.conftest import Databases, earshot, refused
from tests.conftest import fleet_environ
from tests.services.earshot import Installation
from tests.services.mail import MailServer

OK, MENDED, FAILED = Verdict.OK, Verdict.MENDED, Verdict.FAILED


def found(**environ: str) -> Environment:
    return environment.read(environ)


@pytest.mark.parametrize(
    ("environ", "verdict", "told"),
    [
        ({}, OK, "this machine alone"),
        ({"HOST": "0.0.0.0"}, FAILED, "set it to the https address"),
        ({"PUBLIC_URL": "https://earshot.example.org"}, OK, "X-Forwarded-Proto"),
        ({"PUBLIC_URL": "http://earshot.example.org"}, FAILED, "in the clear: use https"),
        ({"PUBLIC_URL": "http://localhost:8000"}, OK, "this machine alone"),
        ({"PUBLIC_URL": "http://[::1]:8000"}, OK, "this machine alone"),
    ],
)
def test_the_address_that_people_use(environ: dict[str, str], verdict: Verdict, told: str):
    line = address(found(**environ))
    assert line.verdict is verdict
    assert told in line.words


def test_a_signing_key_that_others_can_read_is_mended_when_asked(tmp_path: Path):
    here = replace(found(), home=tmp_path)
    file = tmp_path / "secret_key"
    assert bad(secret_key(here, fix=True)) == ["SECRET_KEY"]
    file.write_text("the key itself")
    file.chmod(0o644)
    (line,) = secret_key(here, fix=False)
    assert line.verdict is FAILED
    assert "chmod 600" in line.words
    (line,) = secret_key(here, fix=True)
    assert line.verdict is MENDED
    assert "the key itself" not in line.words
    assert file.stat().st_mode & 0o777 == 0o600
    (line,) = secret_key(here, fix=True)
    assert line.verdict is OK


def test_mended_is_what_was_wrong_and_is_well_now():
    state = {"a": True, "b": False, "c": False}

    def look() -> list[Line]:
        return [ok(what, "") if well else failed(what, "") for what, well in state.items()]

    def mend() -> None:
        state["b"] = True

    assert [line.verdict for line in mended(look, mend, fix=False)] == [OK, FAILED, FAILED]
    assert [line.verdict for line in mended(look, mend, fix=True)] == [OK, MENDED, FAILED]


def test_without_a_mail_server_no_mail_is_sent_and_a_wish_for_one_is_refused():
    assert mail(found(), None).verdict is OK
    assert mail(found(), "kim@example.org").verdict is FAILED


def by(port: int, account: str = "") -> Environment:
    return found(EMAIL_URL=f"smtp://{account}127.0.0.1:{port}")


def real_mail(monkeypatch: pytest.MonkeyPatch, here: Environment) -> Environment:
    from django.conf import settings

    for setting, value in here.email.items():
        monkeypatch.setattr(settings, setting, value)
    return here


def test_a_test_mail_arrives_and_says_where_it_is_from(mailbox: MailServer, monkeypatch: pytest.MonkeyPatch):
    here = real_mail(monkeypatch, by(mailbox.port, "robot:secret-word@"))
    line = mail(here, "kim@example.org")
    assert (line.verdict, "secret-word" in line.words) == (OK, False)
    (kept,) = mailbox.mails
    assert "To: kim@example.org" in kept
    assert here.address in kept
    assert any(word.startswith("AUTH") for word in mailbox.heard)


def test_without_an_address_the_server_is_asked_and_nothing_is_sent(
    mailbox: MailServer, monkeypatch: pytest.MonkeyPatch
):
    assert mail(real_mail(monkeypatch, by(mailbox.port)), None).verdict is OK
    assert (mailbox.mails, mailbox.heard) == ([], ["quit"])


@pytest.mark.parametrize(
    ("refusing", "told"),
    [("AUTH", "refuses user or password"), ("RCPT", "refuses the recipient (550)"), ("MAIL", "refuses with 550")],
)
def test_a_refusal_of_the_mail_server_is_told_by_its_code(refusing: str, told: str, monkeypatch: pytest.MonkeyPatch):
    with MailServer(refusing) as server:
        line = mail(real_mail(monkeypatch, by(server.port, "robot:secret-word@")), "kim@example.org")
    assert line.verdict is FAILED
    assert told in line.words
    assert "secret-word" not in line.words


def test_a_mail_server_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch):
    line = mail(real_mail(monkeypatch, by(1)), None)
    assert (line.verdict, "ConnectionRefusedError" in line.words) == (FAILED, True)


def test_a_password_is_not_sent_in_the_clear_to_another_machine():
    line = mail(found(EMAIL_URL="smtp://robot:secret-word@mail.example.org"), None)
    assert (line.verdict, "secret-word" in line.words) == (FAILED, False)
    assert "smtp+tls" in line.words


def test_a_sender_that_no_other_server_takes_is_told():
    line = mail(found(EMAIL_URL="smtps://robot:secret-word@mail.example.org"), None)
    assert (line.verdict, "?from=ADDRESS" in line.words) == (FAILED, True)


def test_mails_are_from_whom_the_address_names(mailbox: MailServer, monkeypatch: pytest.MonkeyPatch):
    named = found(EMAIL_URL=f"smtp://127.0.0.1:{mailbox.port}?from=robot%40example.org")
    assert mail(real_mail(monkeypatch, named), "kim@example.org").verdict is OK
    assert "From: robot@example.org" in mailbox.mails[0]


@pytest.mark.parametrize("query", ["?from=nobody", "?from=a@b&more=1", "?sender=a@b"])
def test_an_option_of_the_mail_address_that_is_none_stops_the_start(query: str):
    with pytest.raises(environment.UnsafeSetting, match=r"^EMAIL_URL takes \?from=ADDRESS"):
        found(EMAIL_URL=f"smtp://mail.example.org{query}")


@pytest.mark.django_db
def test_the_owner_is_somebody_who_can_sign_in_and_whom_the_file_names(tmp_path: Path):
    assert "earshot init" in owner(found()).words
    own("kim")
    assert (owner(found()).verdict, owner(found()).words) == (OK, "kim")
    file = tmp_path / "earshot.toml"
    file.write_text('[owner]\nhandle = "xan"\n')
    assert "names xan, and kim owns it" in owner(found(EARSHOT_CONFIG=str(file))).words
    Account.objects.update(is_active=False)
    assert "no account that may sign in" in owner(found()).words


@pytest.mark.django_db
def test_an_owner_of_the_demo_is_told_the_way_out():
    seed()
    assert "earshot demo leave" in owner(found()).words


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("settings", "environ", "verdict", "told"),
    [
        ({"key_env": "OWN_API_KEY"}, {"OWN_API_KEY": "secret-word"}, OK, "OWN_API_KEY"),
        ({"key_env": "OWN_API_KEY"}, {}, FAILED, "OWN_API_KEY, which is not set"),
        ({"base_url": "http://127.0.0.1:1/v1"}, {}, OK, "needs none"),
        ({"key_ring": "own_api_key"}, {}, OK, "own_api_key in the keyring"),
        ({}, {}, FAILED, "neither key_env nor base_url"),
    ],
)
def test_models_keys_are_looked_for_by_name(
    settings: dict[str, str], environ: dict[str, str], verdict: Verdict, told: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("OWN_API_KEY", raising=False)
    for variable, value in environ.items():
        monkeypatch.setenv(variable, value)
    # As it was kept before it was looked at.
    add_agent("thinker", kind="connected")
    Agent.objects.update(kind="hosted", provider="openai", settings=settings | {"model": "m"})
    (line,) = models()
    assert line.verdict is verdict
    assert told in line.words
    assert "secret-word" not in line.words


@pytest.mark.django_db
def test_agents_that_call_no_model_need_no_key():
    add_agent("mirror", kind="hosted", provider="mirror")
    assert [line.verdict for line in models()] == [OK]


@pytest.mark.parametrize(
    ("url", "user"), [("redis://a%2Fb:p@h/0", "a/b"), ("redis://:p@h/0", "default"), ("redis://h", "default")]
)
def test_the_user_that_an_address_of_redis_names(url: str, user: str):
    assert name(url) == user


def test_an_unsafe_setting_is_a_line_and_the_end(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SECRET_KEY", "short")
    assert main(["check"]) == 1
    out, err = capsys.readouterr()
    assert out == "FAILED  settings         SECRET_KEY must have at least 32 characters\n"
    assert err == "earshot: 1 of 1 checks failed: settings\n"


def test_a_mistaken_folder_is_told_and_not_made(tmp_path: Path):
    home = tmp_path / "elsewhere"
    here = Installation(tmp_path / "other", {"EARSHOT_HOME": str(home)})
    assert refused(earshot(here, "check")) == "1 of 2 checks failed: database"
    assert not home.exists()


def verdicts(done: object) -> dict[str, str]:
    """The verdict of each line, by what it is about."""
    return {line[8:25].strip(): line[:7].strip() for line in str(done.stdout).splitlines()}  # type: ignore[attr-defined]


@dataclass
class Prepared:
    """An installation on servers of its own making, with roles that nobody made yet, and hands to spoil them."""

    here: Installation
    user: str
    database: psycopg.Connection[tuple[object, ...]]
    server: redis.Redis


@pytest.fixture
def prepared(own: Installation, databases: Databases) -> Iterator[Prepared]:
    """Migrated and owned; the migration has made the database role, and nobody the user of Redis."""
    house, agents = databases.new()
    user, base = f"check_{uuid4().hex[:12]}", fleet_environ()
    own.environ |= base | {
        "DATABASE_URL": house,
        "AGENTS_DATABASE_URL": agents.replace("//agents@", f"//{user}:pass-word@"),
        "AGENTS_REDIS_URL": base["REDIS_URL"].replace("redis://", f"redis://{user}:pass-word@"),
    }
    own.manage("migrate", "--verbosity", "0")
    assert earshot(own, "init", "--handle", "kim", "--yes").returncode == 0
    database, server = psycopg.connect(house, autocommit=True), redis.Redis.from_url(base["REDIS_URL"])
    yield Prepared(own, user, database, server)
    server.execute_command("ACL", "DELUSER", user)
    database.close()


@pytest.mark.fleet
def test_roles_are_looked_at_and_mended_when_asked(prepared: Prepared):
    prepared.database.execute(f"ALTER ROLE {prepared.user} NOLOGIN")
    assert refused(earshot(prepared.here, "check")) == "2 of 11 checks failed: agents' role, agents' redis"
    done = earshot(prepared.here, "check", "--fix")
    assert done.returncode == 0, done.stdout
    assert "pass-word" not in done.stdout + done.stderr
    told = verdicts(done)
    assert (told["agents' role"], told["agents' wall"], told["agents' redis"]) == ("mended", "ok", "mended")
    assert set(verdicts(earshot(prepared.here, "check")).values()) == {"ok"}


@pytest.mark.fleet
def test_each_hole_is_seen_and_closed_when_asked(prepared: Prepared):
    user, database = prepared.user, prepared.database
    earshot(prepared.here, "check", "--fix")
    database.execute(f"GRANT UPDATE ON mailbox_delivery TO {user}")
    done = earshot(prepared.here, "check")
    assert refused(done) == "1 of 13 checks failed: agents' wall"
    assert "agents can rewrite what they were shown" in done.stdout
    database.execute(f"GRANT SELECT ON transcript_message TO {user}")
    database.execute(f"REVOKE SELECT ON mailbox_turn FROM {user}")
    prepared.server.execute_command("ACL", "SETUSER", user, "allkeys")
    done = earshot(prepared.here, "check")
    assert refused(done) == "3 of 13 checks failed: agents' wall, agents' mailbox, agents' redis"
    assert "agents can read transcript_message" in done.stdout
    assert "may write other keys, read other keys:" in done.stdout
    told = verdicts(earshot(prepared.here, "check", "--fix"))
    assert (told["agents' wall"], told["agents' mailbox"], told["agents' redis"]) == ("mended",) * 3


@pytest.mark.fleet
def test_a_role_that_may_too_much_is_told(prepared: Prepared):
    prepared.database.execute(f"ALTER ROLE {prepared.user} CREATEDB")
    done = earshot(prepared.here, "check", "--fix")
    assert f"{prepared.user} may too much (createdb)" in done.stdout


@pytest.mark.fleet
def test_a_shared_redis_and_servers_that_are_away_are_told(own: Installation, databases: Databases):
    house, agents = databases.new()
    own.environ |= fleet_environ() | {"DATABASE_URL": house, "AGENTS_DATABASE_URL": agents}
    done = earshot(own, "check", AGENTS_REDIS_URL="")
    assert "AGENTS_REDIS_URL names no user of the agents' own" in done.stdout
    done = earshot(
        own,
        "check",
        REDIS_URL="redis://127.0.0.1:1",
        DATABASE_URL=_nowhere(house),
        AGENTS_DATABASE_URL=_nowhere(agents),
    )
    told = verdicts(done)
    assert (told["database"], told["redis"]) == ("FAILED", "FAILED")
    assert "Traceback" not in done.stderr


def _nowhere(url: str) -> str:
    return f"{url.rpartition(':')[0]}:1/{url.rpartition('/')[2]}"


def test_a_file_that_is_not_there_is_told_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    for variable in ("DATABASE_URL", "AGENTS_DATABASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("EARSHOT_HOME", str(tmp_path / "mistaken"))
    assert main(["check"]) == 1
    told = capsys.readouterr().out
    assert "FAILED  database" in told
    assert "earshot.sqlite3 is not there: see EARSHOT_HOME" in told
    assert not (tmp_path / "mistaken").exists()
