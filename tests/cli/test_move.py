"""From SQLite to PostgreSQL: every row the same there, or nothing there at all."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import psycopg
import pytest

from messaging.mailbox.permits import WORDS
from tests.cli.conftest import Databases, earshot, refused
from tests.conftest import fleet_environ
from tests.services.child import Child
from tests.services.earshot import Installation
from tests.services.redis import Redis

FILL = Path(__file__).with_name("fill.py")
MESSAGES = 10_000


def filled(here: Installation, messages: int) -> Path:
    """A data folder with the demo and that many messages in it, as posting leaves them."""
    here.manage("migrate", "--verbosity", "0")
    here.manage("seed_demo")
    subprocess.run([sys.executable, FILL, str(messages)], env=here.environ, check=True, timeout=300)
    return here.home / "earshot.sqlite3"


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small data folder, made once."""
    made = Installation(tmp_path_factory.mktemp("few"))
    filled(made, 20)
    return made.home


@pytest.fixture
def small(own: Installation, few: Path) -> Installation:
    """The same, to do with as one likes."""
    shutil.copytree(few, own.home, dirs_exist_ok=True)
    return own


def tables_of(url: str) -> int:
    with psycopg.connect(url) as there:
        row = there.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    return int(row[0]) if row else 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--to", "sqlite:///x.sqlite3"], "--to names no PostgreSQL database"),
        (["--to", "postgresql://house@127.0.0.1:1/x"], "--agents-to must name the restricted role"),
        (["--to", "mysql://x"], "--to is no address of a kind that Earshot knows"),
        (
            ["--to", "postgresql://h@127.0.0.1:1/x", "--agents-to", "postgresql://a@127.0.0.1:1/x"],
            "the database of --to does not answer",
        ),
    ],
)
def test_a_target_that_cannot_be_one_is_named(words: list[str], told: str, own: Installation):
    own.manage("migrate", "--verbosity", "0")
    assert told in refused(earshot(own, "move", *words))


def test_a_missing_file_is_told(own: Installation):
    assert "is not there" in refused(earshot(own, "move", "--to", "postgresql://h@h/x"))


def test_a_file_of_another_version_is_told(own: Installation):
    (own.home / "earshot.sqlite3").touch()
    target = ("--to", "postgresql://h@127.0.0.1:1/x", "--agents-to", "postgresql://a@127.0.0.1:1/x")
    assert "earshot.sqlite3 is not migrated to this version; `earshot up` does it" in refused(
        earshot(own, "move", *target)
    )


@pytest.mark.fleet
def test_ten_thousand_messages_are_the_same_row_by_row(own: Installation, databases: Databases):
    """Compared by hand: as text, by other ways of reading than the command's own."""
    file = filled(own, MESSAGES)
    before = file.read_bytes()
    house, agents = databases.new()
    done = earshot(own, "move", "--to", house, "--agents-to", agents)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{MESSAGES} of {MESSAGES} the same" in done.stdout
    assert "ok      agents' wall" in done.stdout

    columns = "id, seq, author_kind, text, audience, client_key, created_at"
    with psycopg.connect(house) as there, sqlite3.connect(file) as here:
        moved = [
            (str(row[0]).replace("-", ""), *row[1:6], row[6].strftime("%Y-%m-%d %H:%M:%S.%f"))
            for row in there.execute(f"SELECT {columns} FROM transcript_message ORDER BY seq")
        ]
        kept = [
            (*row[:6], row[6] if "." in row[6] else f"{row[6]}.000000")
            for row in here.execute(f"SELECT {columns} FROM transcript_message ORDER BY seq")
        ]
        assert len(kept) == MESSAGES
        assert moved == kept
        named = [row[0] for row in here.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        # On PostgreSQL the index of words stands on the rows themselves.
        elsewhere = ("sqlite_", WORDS, "django_migrations")
        for table in (name for name in named if not name.startswith(elsewhere)):
            counted = f'SELECT count(*) FROM "{table}"'
            assert there.execute(counted).fetchone() == here.execute(counted).fetchone(), table
    assert file.read_bytes() == before


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Redis]:
    """A Redis of its own: by one that is shared the wake-ups of one installation go to another's processes."""
    started = Redis(tmp_path / "redis")
    started.start()
    yield started
    started.stop()


@pytest.mark.fleet
def test_it_goes_on_there_as_a_fleet_under_the_same_tokens(small: Installation, databases: Databases, server: Redis):
    small.manage("migrate", "--verbosity", "0")
    secret = small.tokens()["tokens"]["alex"]
    house, agents = databases.new()
    assert earshot(small, "move", "--to", house, "--agents-to", agents).returncode == 0
    small.environ |= fleet_environ() | {"DATABASE_URL": house, "AGENTS_DATABASE_URL": agents}
    small.environ |= {"REDIS_URL": server.url, "AGENTS_REDIS_URL": server.agents_url}
    roles = {role: small.start(role) for role in ("web", "worker", "agents", "beat")}
    small.wait_ready(roles["web"])
    with httpx.Client(base_url=f"{small.address}/api/v1", headers={"Authorization": f"Bearer {secret}"}) as alex:
        newest = alex.get("/sessions/welcome/messages?limit=1").json()["items"][0]
        said = alex.post("/sessions/welcome/messages", json={"text": "and on", "audience": "active_agent"})
        assert said.status_code == 201, said.text
        assert said.json()["seq"] > newest["seq"]

        def answered() -> bool:
            (delivery,) = alex.get(f"/messages/{said.json()['id']}").json()["deliveries"]
            return bool(delivery["disposition"] == "responded")

        roles["web"].wait_until(answered, "the answer", 90)
    # A table that numbers its own rows goes on after those that came along.
    small.manage("add_person", "kim")
    with psycopg.connect(house) as there:
        rows = there.execute("SELECT id FROM roster_account ORDER BY id").fetchall()
    assert rows == [(number,) for number in range(1, 8)]


@pytest.mark.fleet
def test_a_role_that_cannot_log_in_there_is_told_after_all_is_moved(small: Installation, databases: Databases):
    house, agents = databases.new()
    databases.connection.execute(f"CREATE ROLE {(role := f'shut_{uuid4().hex[:12]}')} NOLOGIN")
    done = earshot(small, "move", "--to", house, "--agents-to", agents.replace("//agents@", f"//{role}@"))
    assert refused(done).startswith("all is moved, but see above: agents' role")
    assert "each the same on both sides" in done.stdout


@pytest.mark.fleet
def test_a_target_that_is_not_empty_is_left_alone(small: Installation, databases: Databases):
    house, agents = databases.new()
    with psycopg.connect(house, autocommit=True) as there:
        there.execute("CREATE TABLE mine (a int)")
    told = refused(earshot(small, "move", "--to", house, "--agents-to", agents))
    assert told == "the database of --to is not empty: it has 1 tables, mine among them"
    assert tables_of(house) == 1


@pytest.mark.fleet
def test_a_row_that_is_not_taken_leaves_the_target_empty(small: Installation, databases: Databases):
    house, agents = databases.new()
    with sqlite3.connect(small.home / "earshot.sqlite3") as here:
        here.execute("UPDATE roster_person SET name = ? WHERE rowid = 1", ["secret-word" * 20])
    told = refused(earshot(small, "move", "--to", house, "--agents-to", agents))
    assert told == "a row was refused (value too long for type character varying(80)); nothing was kept there"
    assert tables_of(house) == 0


@pytest.mark.fleet
def test_a_row_that_changes_on_the_way_is_found_and_leaves_the_target_empty(small: Installation, databases: Databases):
    """The check can see: a trigger that a migration of ours would never make alters one text."""
    house, agents = databases.new()
    meddle = FILL.with_name("meddle.py")
    done = subprocess.run(
        [sys.executable, meddle, "move", "--to", house, "--agents-to", agents],
        env=small.environ, capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert refused(done).startswith("transcript_message has a row that is not the same there, number ")
    assert tables_of(house) == 0


@pytest.mark.fleet
def test_while_it_runs_nothing_is_moved(own: Installation, databases: Databases):
    child: Child = own.up()
    house, agents = databases.new()
    assert "stop it first" in refused(earshot(own, "move", "--to", house, "--agents-to", agents))
    assert child.running()
    assert tables_of(house) == 0
