"""A fleet from the files for deployment: its proxy, its two web servers, its agents apart, its backup."""

from __future__ import annotations

import json
import os
import signal
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from django.apps import apps
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.deploy import place
from tests.services.child import LOOPBACK, Child, answers, free_port
from tests.services.earshot import Installation

pytestmark = pytest.mark.deploy
ROOMS = "/api/v1/sessions/welcome"


class Fleet:
    """Two web servers behind nginx, worker, beat, agents; reached at `address`."""

    def __init__(self, folder: Path) -> None:
        self.server = place.Server()
        self.redis, redis = place.redis(folder)
        self.tls, self.plain = free_port(), free_port()
        self.address = f"https://localhost:{self.tls}"
        self.home = Installation(folder / "home", self.server.environ() | redis)
        self.home.environ |= {"SECRET_KEY": "x" * 40, "PUBLIC_URL": self.address, "LOG_FORMAT": "json"}
        self.folder, self.webs = folder, [free_port(), free_port()]

    def start(self) -> None:
        environ = self.home.environ
        place.shell("sh deploy/postgres-roles.sh && earshot manage migrate --verbosity 0", environ, self.folder)
        self.tokens = self.home.tokens()["tokens"]
        for role in ("worker", "beat"):
            self.home.start(role)
        place.agents_alone(self.home)
        for port in self.webs:
            self.web(port)
        configuration = place.nginx_configuration(self.folder, self.webs, self.plain, self.tls)
        self.proxy = Child(["nginx", "-c", configuration], self.folder / "nginx.log")
        self.proxy.wait_until(lambda: answers(self.tls), "nginx")

    def web(self, port: int) -> Child:
        child = self.home.start("web", PORT=str(port))
        ready = f"http://{LOOPBACK}:{port}/readyz"
        child.wait_until(lambda: status(ready, headers={"Host": "localhost"}) == 200, "the web server", 60)
        return child

    def client(self, who: str = "alex") -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.tokens[who]}"}
        return httpx.Client(base_url=self.address, headers=headers, verify=False, timeout=10)  # noqa: S501 -- a certificate of the test's own

    def socket(self, after: int = 0) -> ClientConnection:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        headers = {"Authorization": f"Bearer {self.tokens['sam']}"}
        url = f"wss://localhost:{self.tls}/ws/sessions/welcome?after={after}"
        return connect(url, additional_headers=headers, ssl=context, open_timeout=10)

    def stop(self) -> None:
        for child in (getattr(self, "proxy", None), self.redis):
            if child is not None:
                child.stop()
        self.home.stop()
        self.server.stop()


def status(url: str, **more: Any) -> int:
    try:
        return httpx.get(url, timeout=5, **more).status_code
    except httpx.HTTPError:
        return 0


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    started = Fleet(tmp_path_factory.mktemp("d"))
    try:
        started.start()
        yield started
    finally:
        started.stop()


def answered(client: httpx.Client, question: str) -> str:
    """Ask the agent and wait; return the text of its answer."""
    asked = client.post(f"{ROOMS}/messages", json={"text": question, "audience": "active_agent"})
    assert asked.status_code == 201, asked.text
    end = time.monotonic() + 30
    while time.monotonic() < end:
        page = client.get(f"{ROOMS}/messages", params={"limit": 50}).json()["items"]
        for message in page:
            if message["answers"] == asked.json()["id"]:
                return str(message["text"])
        time.sleep(0.1)
    raise TimeoutError(question)


def test_nginx_takes_the_example(fleet: Fleet):
    done = subprocess.run(
        ["nginx", "-t", "-c", fleet.folder / "nginx.conf"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr


def test_a_question_is_answered_through_the_proxy_by_agents_that_hold_nothing(fleet: Fleet):
    with fleet.client() as client:
        assert "by the proxy" in answered(client, "by the proxy")
    environ = psutil.Process(fleet.home.children["agents-alone"].pid).environ()
    assert not {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "EARSHOT_HOME"} & set(environ)


def test_a_page_knows_that_it_came_over_https(fleet: Fleet):
    with fleet.client() as client:
        page = client.get("/sign-in/", headers={"Authorization": ""})
    assert page.status_code == 200
    assert "secure" in page.headers["set-cookie"].lower()
    assert "max-age" in page.headers["strict-transport-security"]


def test_plain_http_leads_to_https(fleet: Fleet):
    answer = httpx.get(f"http://localhost:{fleet.plain}/sign-in/", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (301, "https://localhost/sign-in/")


def test_metrics_are_not_for_those_outside_whatever_they_claim(fleet: Fleet):
    with fleet.client() as client:
        for claim in ({}, {"X-Forwarded-For": LOOPBACK}, {"Forwarded": f"for={LOOPBACK}"}):
            assert client.get("/metrics", headers=claim).status_code == 404
    # The control: this machine itself is told, past the proxy.
    assert status(f"http://{LOOPBACK}:{fleet.webs[0]}/metrics", headers={"Host": "localhost"}) == 200


def test_no_address_is_written_down(fleet: Fleet):
    with fleet.client() as client:
        client.get("/sign-in/a-code-of-somebody")
    written = "".join(file.read_text() for file in fleet.folder.glob("*.log"))
    assert "a-code-of-somebody" not in written


class Ear(threading.Thread):
    """Listens, and comes back with the number it has reached whenever it is cut off."""

    def __init__(self, fleet: Fleet) -> None:
        super().__init__(daemon=True)
        self.fleet, self.ending = fleet, threading.Event()
        self.seqs: list[int] = []
        self.codes: list[int | str | None] = []

    def run(self) -> None:
        while not self.ending.is_set():
            try:
                with self.fleet.socket(after=max(self.seqs, default=0)) as wire:
                    while not self.ending.is_set():
                        self.take(wire)
            except ConnectionClosed as end:
                self.codes.append(end.rcvd.code if end.rcvd else None)
            except OSError:
                time.sleep(0.1)
            except Exception as error:
                self.codes.append(type(error).__name__)
                time.sleep(0.1)

    def take(self, wire: ClientConnection) -> None:
        try:
            frame = json.loads(wire.recv(0.2))
        except TimeoutError:
            return
        if frame["type"] == "message":
            self.seqs.append(frame["seq"])


class Poster(threading.Thread):
    """Posts one after the other, each under its key until it is acknowledged."""

    def __init__(self, fleet: Fleet, word: str) -> None:
        super().__init__(daemon=True)
        self.fleet, self.word, self.ending = fleet, word, threading.Event()
        self.sent: dict[int, str] = {}
        self.repeats: list[int | None] = []

    def run(self) -> None:
        with self.fleet.client() as client:
            while not self.ending.is_set():
                n = len(self.sent) + 1
                kept = self.post(client, {"text": f"{self.word} {n}", "client_key": f"{self.word}-{n}"})
                self.sent[kept["seq"]] = kept["id"]
                time.sleep(0.02)

    def post(self, client: httpx.Client, body: dict[str, str]) -> dict[str, Any]:
        while True:
            try:
                answer = client.post(f"{ROOMS}/messages", json=body | {"audience": "participants"})
            except httpx.HTTPError:
                self.repeats.append(None)
            else:
                if answer.status_code in (200, 201):
                    found: dict[str, Any] = answer.json()
                    return found
                self.repeats.append(answer.status_code)
            time.sleep(0.05)

    def end(self) -> None:
        self.ending.set()
        self.join(20)


def test_a_version_serves_while_the_next_one_s_columns_come(fleet: Fleet):
    """Every table of ours gets what an additive migration may give it, under load: empty, or filled by the database."""
    labels = ("journal", "mailbox", "roster", "transcript")
    tables = [model._meta.db_table for label in labels for model in apps.get_app_config(label).get_models()]
    assert len(tables) > 15
    poster = Poster(fleet, "meantime")
    poster.start()
    wait_until(lambda: len(poster.sent) > 20)
    for table in tables:
        add = f"ALTER TABLE {table} ADD COLUMN later integer NULL, ADD COLUMN filled integer NOT NULL DEFAULT 7"
        fleet.server.postgres.sql(add, "earshot")
    so_far = len(poster.sent)
    wait_until(lambda: len(poster.sent) > so_far + 20)
    poster.end()
    assert poster.repeats == []
    with fleet.client() as client:
        assert "beside new columns" in answered(client, "beside new columns")


def test_web_servers_are_restarted_one_by_one_without_a_loss(fleet: Fleet):
    """As the page on upgrading says: posts are repeated under their key, sockets come back with their number."""
    ear, poster = Ear(fleet), Poster(fleet, "rolling")
    ear.start()
    poster.start()
    place.shell("earshot manage migrate --verbosity 0", fleet.home.environ, fleet.folder)
    assert poster.repeats == []
    webs = [child for name, child in fleet.home.children.items() if name.startswith("web")]
    for port, child in zip(list(fleet.webs), webs, strict=True):
        assert child.stop() < 5
        fleet.web(port)
    time.sleep(1)
    poster.end()
    assert len(poster.sent) > 50
    wait_until(lambda: set(poster.sent) <= set(ear.seqs))
    ear.ending.set()
    ear.join(5)
    assert ear.seqs == sorted(set(ear.seqs))
    with fleet.client("sam") as client:
        kept = [one["id"] for one in all_messages(client) if one["text"].startswith("rolling")]
    assert kept == list(poster.sent.values())
    assert set(ear.codes) <= {1012, None}
    assert 1012 in ear.codes
    # A repeat is the exception: a post that met a connection which was being closed.
    assert len(poster.repeats) <= 5, poster.repeats


def wait_until(condition: Any, patience: float = 15) -> None:
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def all_messages(client: httpx.Client) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    page: dict[str, Any] = {"next": 0}
    while page["next"] is not None:
        page = client.get(f"{ROOMS}/messages", params={"after": page["next"], "limit": 200}).json()
        items += page["items"]
    return items


@pytest.fixture
def elsewhere(fleet: Fleet, tmp_path: Path) -> Iterator[Installation]:
    """Another machine's servers, with nothing in them yet."""
    server = place.Server()
    redis, addresses = place.redis(tmp_path)
    restored = Installation(tmp_path / "home", fleet.home.environ | server.environ() | addresses)
    restored.environ |= {"PORT": str(restored.port), "EARSHOT_HOME": str(restored.home), "PUBLIC_URL": ""}
    try:
        yield restored
    finally:
        restored.stop()
        redis.stop()
        server.stop()


def test_a_backup_taken_while_people_post_comes_back_whole(fleet: Fleet, elsewhere: Installation, tmp_path: Path):
    """Everything acknowledged before it began is in it, and agents answer, by grants that were renewed."""
    poster = Poster(fleet, "meanwhile")
    poster.start()
    wait_until(lambda: len(poster.sent) > 20)
    before = set(poster.sent.values())
    place.shell(place.command("back up postgresql"), fleet.home.environ, tmp_path)
    poster.end()
    place.shell(place.command("restore postgresql"), elsewhere.environ, tmp_path)
    for role in ("worker", "beat"):
        elsewhere.start(role)
    place.agents_alone(elsewhere)
    elsewhere.wait_ready(elsewhere.start("web"))
    headers = {"Authorization": f"Bearer {fleet.tokens['alex']}"}
    with httpx.Client(base_url=elsewhere.address, headers=headers, timeout=10) as client:
        kept = [one["id"] for one in all_messages(client) if one["text"].startswith("meanwhile")]
        assert before <= set(kept)
        # What it has is a beginning of what was said, in order: one moment's state.
        assert kept == list(poster.sent.values())[: len(kept)]
        assert "after the restore" in answered(client, "after the restore")


def test_a_database_that_hangs_is_missed_and_hangs_nobody_who_asks(fleet: Fleet):
    assert fleet.server.postgres.child is not None
    hanging = fleet.server.postgres.child.pid
    with fleet.client() as client:
        os.kill(hanging, signal.SIGSTOP)
        try:
            began = time.monotonic()
            assert client.get("/readyz").json()["missing"] == ["database"]
            assert time.monotonic() - began < 5
            # Past the proxy, which keeps the numbers to itself.
            scrape = httpx.get(f"http://{LOOPBACK}:{fleet.webs[0]}/metrics", headers={"Host": "localhost"}, timeout=9)
            assert "earshot_database_up 0.0" in scrape.text
            assert "earshot_messages_total" in scrape.text
        finally:
            os.kill(hanging, signal.SIGCONT)
        wait_until(lambda: client.get("/readyz").status_code == 200)


def test_no_secret_and_no_text_is_in_any_log(fleet: Fleet):
    """The last of this fleet, for it loses its Redis and its database, which gives every process something to say."""
    fleet.redis.kill()
    fleet.server.postgres.crash()
    with fleet.client() as client:
        for n in range(5):
            answer = client.post(f"{ROOMS}/messages", json={"text": f"canary {n}", "audience": "participants"})
            assert answer.status_code >= 500
            time.sleep(0.5)
    logs = {file: file.read_text() for file in fleet.folder.rglob("*.log")}
    assert len([text for text in logs.values() if "Redis" in text or "database" in text]) >= 3
    secrets = [*place.PASSWORDS.values(), fleet.home.environ["SECRET_KEY"], *fleet.tokens.values()]
    for file, text in logs.items():
        assert [one for one in (*secrets, "canary", "rolling 1") if one in text] == [], file


def verified(folder: Path, name: str) -> tuple[int, list[str]]:
    """What systemd says of a unit, and of that alone."""
    words = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(folder / name)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, [line for line in done.stderr.splitlines() if "earshot" in line]


def units(folder: Path) -> Path:
    """The units as they are installed, with a program that is there."""
    for file in (place.DEPLOY / "systemd").iterdir():
        text = file.read_text().replace("/opt/earshot/bin/earshot", "/bin/true")
        (folder / file.name.replace("@.", "@1.")).write_text(text)
    return folder


@pytest.mark.parametrize("unit", sorted((place.DEPLOY / "systemd").glob("*.[st]*[et]")), ids=lambda unit: unit.name)
def test_systemd_understands_each_unit(unit: Path, tmp_path: Path):
    assert verified(units(tmp_path), unit.name.replace("@.", "@1.")) == (0, [])


def test_systemd_would_say_what_it_does_not_understand(tmp_path: Path):
    file = units(tmp_path) / "earshot-beat.service"
    file.write_text(file.read_text().replace("NoNewPrivileges", "NoNewPrivilege"))
    code, said = verified(tmp_path, file.name)
    assert code or said
