"""Servers that are none, or wish us ill: each is known by a code, in time, and none gets a key that is not its own."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from messaging.agents.sources import given, listing
from messaging.domain.source import MAX_DESCRIPTION, MAX_SCHEMA, MAX_TOOLS
from messaging.mailbox.models import Source
from tests.agents.sources import source
from tests.services.child import free_port

pytestmark = pytest.mark.django_db
KEY = "token-CANARY"


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("ACME_API_KEY", KEY)


@contextmanager
def serving(answer):
    """A server whose every request is answered by this function; its address and the requests' headers."""
    asked: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append({name.lower(): value for name, value in self.headers.items()})
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            try:
                answer(self, json.loads(body))
            except OSError:
                return

        def log_message(self, *_):
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp", asked
    finally:
        server.shutdown()
        server.server_close()


def plain(status, body=b"", kind="text/html", **headers):
    def answer(handler, _):
        handler.send_response(status)
        for name, value in ({"Content-Type": kind, "Content-Length": str(len(body))} | headers).items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def endless(handler, _):
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    while True:
        handler.wfile.write(b"x" * 65536)


def hanging(_handler, _):
    time.sleep(30)


def fault(url, **settings):
    row = source("http", {"url": url, "key_env": "ACME_API_KEY", "timeout": 1, **settings})
    assert row.tools == []
    return row.fault


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (plain(401), "source_refused"),
        (plain(403), "source_refused"),
        (plain(200, b"<p>Hello</p>"), "source_nonsense"),
        (plain(200, b"[1, 2", "application/json"), "source_nonsense"),
        (plain(500), "source_nonsense"),
        (plain(200, b"x" * 100, "application/json", Content_Encoding="gzip"), "source_too_much"),
        (endless, "source_too_much"),
        (hanging, "source_timeout"),
    ],
)
def test_what_is_no_server_of_tools_is_known_by_a_code(answer, code):
    with serving(answer) as (url, asked):
        began = time.monotonic()
        assert fault(url) == code
        assert time.monotonic() - began < 8
        assert asked[0]["authorization"] == f"Bearer {KEY}"


def test_where_nobody_listens_that_is_said():
    assert fault(f"http://127.0.0.1:{free_port()}/mcp") == "source_unreachable"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_elsewhere_is_not_followed(status):
    with serving(plain(200)) as (elsewhere, seen), serving(plain(status, Location=elsewhere)) as (url, asked):
        assert fault(url) == "source_nonsense"
        assert asked
        assert seen == []


def test_a_key_that_is_not_there_is_said_and_nothing_is_asked(monkeypatch):
    monkeypatch.delenv("ACME_API_KEY")
    with serving(plain(200)) as (url, asked):
        assert fault(url) == "source_key"
        assert asked == []


def test_a_key_lies_in_a_file_that_nobody_else_can_read(tmp_path):
    file = tmp_path / "acme_api_key"
    file.write_text("from-a-file\n")
    with serving(plain(401)) as (url, asked):
        settings = {"url": url, "key_file": str(file)}
        file.chmod(0o644)
        assert source("http", settings, "open").fault == "source_key"
        assert asked == []
        file.chmod(0o600)
        assert source("http", settings, "closed").fault == "source_refused"
        assert asked[0]["authorization"] == "Bearer from-a-file"


def test_no_key_is_sent_where_none_is_wanted():
    with serving(plain(401)) as (url, asked):
        source("http", {"url": url, "no_key": True})
        assert asked
        assert "authorization" not in asked[0]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["/no/such/program"], "source_program"),
        (["true"], "source_ended"),
        (["sh", "-c", "yes '{}' | head -c 20000000"], "source_too_much"),
        (["sh", "-c", "head -c 20000000 /dev/zero | tr '\\0' x; sleep 60"], "source_too_much"),
    ],
)
def test_a_program_that_is_no_server_is_known_by_a_code(command, code):
    began = time.monotonic()
    assert source("stdio", {"command": command}).fault == code
    assert time.monotonic() - began < 10


def test_one_that_says_nothing_is_given_up(monkeypatch):
    monkeypatch.setattr(listing, "LISTING_SECONDS", 1.0)
    assert source("stdio", {"command": ["sleep", "60"]}).fault == "source_timeout"


class TestListed:
    """What is kept of tools, whatever they say of themselves."""

    def tool(self, name="one", **more):
        from mcp_types import Tool

        return Tool(**({"name": name, "description": "d", "input_schema": {"type": "object"}} | more))

    def one(self, **more):
        found, _ = given.listing("things", [self.tool(**more)])
        return found[0]

    def test_too_many_are_not_taken_and_that_is_said(self):
        found, code = given.listing("things", [self.tool(f"t{n}") for n in range(MAX_TOOLS + 5)])
        assert (len(found), code) == (MAX_TOOLS, "source_many")

    def test_a_long_description_is_cut(self):
        assert len(self.one(description="ö" * 10_000)["description"].encode()) <= MAX_DESCRIPTION

    @pytest.mark.parametrize(
        "schema",
        [
            {"type": "object", "description": "x" * MAX_SCHEMA},
            {"type": "object", "description": "\0"},
            {"type": "object", "minimum": float("nan")},
            {"type": "string"},
            {},
        ],
    )
    def test_a_schema_that_cannot_be_told_leaves_the_tool_out(self, schema):
        found = self.one(input_schema=schema)
        assert (found["left_out"], found["schema"]) == ("schema", {})

    def test_of_two_with_one_name_the_first_is_offered(self):
        found, _ = given.listing("things", [self.tool(), self.tool(description="other")])
        assert [one["left_out"] for one in found] == ["", "twice"]

    @pytest.mark.parametrize("name", ["a b", "", "x" * 60, "ünder", "a\0b"])
    def test_a_name_that_models_do_not_take_leaves_it_out(self, name):
        assert self.one(name=name)["left_out"] == "name"

    @pytest.mark.parametrize(("hints", "acts"), [(None, True), ({}, True), ({"read_only_hint": True}, False),
                                                  ({"read_only_hint": False}, True), ({"destructive_hint": False}, True)])  # fmt: skip
    def test_only_one_that_says_that_it_reads_does_not_act(self, hints, acts):
        assert self.one(annotations=hints)["acts"] is acts

    def test_it_is_kept_by_every_database(self):
        row = source("stdio", {"command": ["true"]}, look=False)
        found, _ = given.listing("things", [self.tool("a\0b", description="a\0b\ud800")])
        Source.objects.filter(id=row.id).update(tools=found)
        assert Source.objects.get().tools == found
