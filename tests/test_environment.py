from __future__ import annotations

from pathlib import Path

import pytest

from collab import addresses, environment
from collab.environment import UnsafeSetting, read

SECRET = "s" * 32
POSTGRESQL = {
    "DATABASE_URL": "postgresql://house:p%40ss@db.example:5433/earshot?sslmode=require",
    "AGENTS_DATABASE_URL": "postgresql://agents:other@db.example:5433/earshot",
}


def test_nothing_said_is_one_process_on_sqlite(tmp_path: Path):
    found = read({"EARSHOT_HOME": str(tmp_path)})
    assert found.embedded
    assert (found.host, found.port, found.debug) == ("127.0.0.1", 8000, False)
    assert found.address == "http://127.0.0.1:8000"
    assert found.database["NAME"] == str(tmp_path / "earshot.sqlite3")
    assert found.agents_database["NAME"] == found.database["NAME"]
    assert found.agents_database["ENGINE"] == "messaging.mailbox.walled"


def test_sqlite_is_durable_and_fails_no_writer_early(tmp_path: Path):
    options = read({"EARSHOT_HOME": str(tmp_path)}).database["OPTIONS"]
    assert options["transaction_mode"] == "IMMEDIATE"
    assert "synchronous=FULL" in options["init_command"]


def test_postgresql_by_two_roles():
    found = read(POSTGRESQL)
    assert found.database["ENGINE"] == "django.db.backends.postgresql"
    assert (found.database["USER"], found.database["PASSWORD"]) == ("house", "p@ss")
    assert found.database["OPTIONS"] == {**addresses.PATIENCE, "sslmode": "require"}
    assert (
        read(POSTGRESQL | {"DATABASE_URL": POSTGRESQL["DATABASE_URL"] + "&connect_timeout=30"}).database["OPTIONS"][
            "connect_timeout"
        ]
        == "30"
    )
    assert found.agents_database["USER"] == "agents"


def test_a_fleet_has_redis_and_agents_their_own_user():
    found = read({"REDIS_URL": "redis://r:6379/1", "SECRET_KEY": SECRET})
    assert not found.embedded
    # Without one they share the house's, which the start says aloud.
    assert found.agents_redis_url == found.redis_url
    assert found.agents_share_redis
    other = read({"REDIS_URL": "redis://r:6379", "AGENTS_REDIS_URL": "redis://a:b@r:6379", "SECRET_KEY": SECRET})
    assert other.agents_redis_url == "redis://a:b@r:6379"
    assert not other.agents_share_redis
    assert not read({}).agents_share_redis


@pytest.mark.parametrize(
    ("name", "environ"),
    [
        ("EARSHOT_HOEM", {"EARSHOT_HOEM": "x"}),
        ("PORT", {"PORT": "0"}),
        ("PORT", {"PORT": "65536"}),
        ("PORT", {"PORT": "eight"}),
        ("DATABASE_URL", {"DATABASE_URL": "mysql://u@h/d"}),
        ("DATABASE_URL", {"DATABASE_URL": "sqlite://:memory:"}),
        ("DATABASE_URL", {"DATABASE_URL": "sqlite:///:memory:"}),
        ("DATABASE_URL", {"DATABASE_URL": "postgresql://u@h/"}),
        ("AGENTS_DATABASE_URL", {"DATABASE_URL": POSTGRESQL["DATABASE_URL"]}),
        ("AGENTS_DATABASE_URL", {**POSTGRESQL, "AGENTS_DATABASE_URL": "postgresql://house:x@db.example/e"}),
        ("AGENTS_DATABASE_URL", {**POSTGRESQL, "AGENTS_DATABASE_URL": "sqlite:///other"}),
        ("AGENTS_DATABASE_URL", {"AGENTS_DATABASE_URL": "sqlite:////elsewhere"}),
        ("REDIS_URL", {"REDIS_URL": "http://r:6379", "SECRET_KEY": SECRET}),
        ("SECRET_KEY", {"REDIS_URL": "redis://r:6379"}),
        ("SECRET_KEY", {"SECRET_KEY": "short"}),
        ("ALLOWED_HOSTS", {"ALLOWED_HOSTS": "a.example,*"}),
        ("PUBLIC_URL", {"PUBLIC_URL": "earshot.example.org"}),
        ("PUBLIC_URL", {"PUBLIC_URL": "https://earshot.example.org/chat"}),
        ("PUBLIC_URL", {"PUBLIC_URL": "https://earshot.example.org:eight"}),
        ("EMAIL_URL", {"EMAIL_URL": "pop3://mail.example"}),
        ("EARSHOT_CONFIG", {"EARSHOT_CONFIG": "/no/such/file.toml"}),
        ("METRICS_PORT", {"METRICS_PORT": "none"}),
        ("LOG_FORMAT", {"LOG_FORMAT": "yaml"}),
        ("DEBUG", {"DEBUG": "maybe"}),
        ("DEBUG", {"DEBUG": "1", "HOST": "0.0.0.0"}),
        ("DEBUG", {"DEBUG": "1", "PUBLIC_URL": "https://e.example"}),
    ],
)
def test_what_cannot_stand_stops_the_start_by_its_name(name: str, environ: dict[str, str]):
    with pytest.raises(UnsafeSetting) as refusal:
        read(environ)
    assert refusal.value.name == name


def test_a_refusal_repeats_no_password():
    with pytest.raises(UnsafeSetting) as refusal:
        read({"DATABASE_URL": "mysql://user:hunter2@host/name"})
    assert "hunter2" not in str(refusal.value)


def test_hosts_are_this_machine_unless_named():
    assert {"localhost", "127.0.0.1", "[::1]"} <= set(read({}).allowed_hosts)
    named = read({"ALLOWED_HOSTS": "a.example, b.example", "PUBLIC_URL": "https://c.example"})
    assert named.allowed_hosts == ("a.example", "b.example", "c.example")
    assert "0.0.0.0" not in read({"HOST": "0.0.0.0"}).allowed_hosts


@pytest.mark.parametrize(
    ("host", "address"),
    [("0.0.0.0", "http://127.0.0.1:8000"), ("::", "http://[::1]:8000"), ("box.lan", "http://box.lan:8000")],
)
def test_the_address_to_tell_is_one_that_opens(host: str, address: str):
    found = read({"HOST": host})
    assert found.address == address
    assert address.removeprefix("http://").removesuffix(":8000") in found.allowed_hosts


def test_a_public_address_is_the_one_to_tell():
    found = read({"PUBLIC_URL": "https://earshot.example.org/"})
    assert found.address == "https://earshot.example.org"
    assert found.https


@pytest.mark.parametrize(
    ("environ", "suffix"),
    [
        ({}, "_8000"),
        ({"PORT": "8001"}, "_8001"),
        ({"PORT": "80"}, ""),
        ({"PORT": "8001", "PUBLIC_URL": "https://earshot.example.org"}, ""),
        ({"PORT": "8001", "PUBLIC_URL": "https://earshot.example.org:443"}, ""),
        ({"PORT": "8001", "PUBLIC_URL": "http://box.lan:9000"}, "_9000"),
        # The web servers of a fleet have many ports, and one login between them.
        ({"PORT": "8001", "REDIS_URL": "redis://r:6379", "SECRET_KEY": SECRET}, ""),
        ({"PORT": "8001", "REDIS_URL": "redis://r:6379", "SECRET_KEY": SECRET, "PUBLIC_URL": "http://b.lan:90"}, "_90"),
    ],
)
def test_two_installations_on_one_host_do_not_share_a_cookie(environ: dict[str, str], suffix: str):
    assert read(environ).cookie_suffix == suffix


def test_mail_goes_nowhere_unless_told():
    assert read({}).email["EMAIL_BACKEND"].endswith("dummy.EmailBackend")
    mail = read({"EMAIL_URL": "smtp+tls://me:p%3Aw@mail.example"}).email
    assert (mail["EMAIL_HOST"], mail["EMAIL_PORT"], mail["EMAIL_USE_TLS"]) == ("mail.example", 587, True)
    assert mail["EMAIL_HOST_PASSWORD"] == "p:w"


def test_an_environment_cannot_be_changed():
    with pytest.raises(AttributeError):
        read({}).port = 1  # type: ignore[misc]
    assert environment.LOOPBACK


ALONE = {"AGENTS_DATABASE_URL": POSTGRESQL["AGENTS_DATABASE_URL"], "AGENTS_REDIS_URL": "redis://agents:x@r:6379/0"}


def test_agents_start_without_anything_of_the_house():
    assert environment.of_agents_alone(ALONE | {"ANTHROPIC_API_KEY": "k"}) == tuple(ALONE.values())


@pytest.mark.parametrize("name", ["DATABASE_URL", "REDIS_URL", "SECRET_KEY"])
def test_beside_the_house_its_own_checks_decide(name: str):
    assert environment.of_agents_alone(ALONE | {name: "x"}) is None


@pytest.mark.parametrize("name", list(ALONE))
def test_half_of_what_agents_need_is_nothing(name: str):
    assert environment.of_agents_alone(ALONE | {name: ""}) is None


@pytest.mark.parametrize("wrong", [{"EARSHOT_HOEM": "x"}, {"LOG_FORMAT": "yaml"}, {"AGENTS_REDIS_URL": "http://r"}])
def test_agents_alone_are_checked_too(wrong: dict[str, str]):
    with pytest.raises(UnsafeSetting) as refusal:
        environment.of_agents_alone(ALONE | wrong)
    assert refusal.value.name == next(iter(wrong))
