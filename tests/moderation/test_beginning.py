"""The first agent with a model: what is found on this machine, and the form that it leads to."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from collab.moderation import nearby
from messaging.roster.models import Agent, Person
from tests.cast import Room
from tests.moderation.test_admin import browser

MODELS = {"models": [{"name": "llama3.2:latest", "size": 1}, {"name": "library/qwen3:8b"}]}
Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def serving(answer: Answer) -> Iterator[tuple[str, list[str]]]:
    """A server on this machine, by host and port, and what it was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            answer(self)

        def log_message(self, *_: object) -> None:
            """Tests are read by their failures."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.server_port}", asked
        server.shutdown()


def saying(body: object, status: int = 200, **headers: str) -> Answer:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()

    def answer(line: BaseHTTPRequestHandler) -> None:
        line.send_response(status)
        for name, value in headers.items():
            line.send_header(name, value)
        line.send_header("Content-Length", str(len(raw)))
        line.end_headers()
        line.wfile.write(raw)

    return answer


class TestLooking:
    def test_one_that_answers_is_found_with_its_models(self):
        with serving(saying(MODELS)) as (place, asked):
            found = nearby.ollama(place)
        assert found == nearby.Ollama(f"http://{place}/v1", ["llama3.2:latest", "library/qwen3:8b"])
        assert asked == ["/api/tags"]

    def test_one_without_models_is_found_without(self):
        with serving(saying({"models": []})) as (place, _):
            assert nearby.ollama(place) == nearby.Ollama(f"http://{place}/v1", [])

    @pytest.mark.parametrize(
        "answer",
        [
            saying(MODELS, 500), saying(MODELS, 404), saying(b"<html>"), saying([]), saying({"models": "none"}),
            saying({}), saying(b"\xff\xfe"), saying(b"[" * 100_000), saying(b"{" + b" " * (2 << 20) + b"}"),
        ],
    )  # fmt: skip
    def test_whatever_else_answers_there_is_none(self, answer):
        with serving(answer) as (place, _):
            assert nearby.ollama(place) is None

    def test_it_is_led_on_to_no_other_place(self):
        with (
            serving(saying(MODELS)) as (other, asked),
            serving(saying(b"", 302, Location=f"http://{other}/api/tags")) as (place, _),
        ):
            assert nearby.ollama(place) is None
        assert asked == []

    def test_one_that_says_nothing_is_not_waited_for(self):
        with serving(lambda line: time.sleep(3)) as (place, _):
            begun = time.monotonic()
            assert nearby.ollama(place) is None
            assert time.monotonic() - begun < 2.5

    def test_where_nobody_listens_there_is_none(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            assert nearby.ollama(f"127.0.0.1:{free.getsockname()[1]}") is None

    @pytest.mark.parametrize("said", ["nonsense:port", "http://", ":::", "127.0.0.1:99999999", "[::1"])
    def test_a_place_that_is_none_is_no_fault(self, said):
        found = nearby.ollama(said)
        # It looks where Ollama listens by itself, which it may do here.
        assert found is None or found.base_url == f"http://127.0.0.1:{nearby.PORT}/v1"

    def test_what_would_break_a_page_is_no_name_of_a_model(self):
        names = [{"name": "a\nb"}, {"name": ""}, {"name": 7}, {"name": "x" * 300}, "llama", {"name": "fine"}]
        with serving(saying({"models": names})) as (place, _):
            found = nearby.ollama(place)
        assert found is not None
        assert found.models == ["fine"]


@pytest.mark.django_db
class TestThePage:
    @pytest.fixture(autouse=True)
    def room(self) -> Room:
        return Room.open()

    def test_a_model_that_is_found_leads_to_a_form_that_wants_nothing_more(self, monkeypatch):
        with serving(saying(MODELS)) as (place, _):
            monkeypatch.setenv(nearby.VARIABLE, place)
            shown = browser("alex").get("/admin/begin/").content.decode()
        assert "Use llama3.2:latest" in shown
        [link] = [unescape(one) for one in re.findall(r'href="([^"]+model=llama3[^"]+)"', shown)]
        form = browser("alex").get(link).context["adminform"].form
        given = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
        sent = {name: value for name, value in given.items() if value not in (None, "")}
        sent["owner"] = Person.objects.get(handle__spelled="alex").pk
        assert browser("alex").post(link, sent).status_code == 302
        made = Agent.objects.get(handle__spelled="llama3-2")
        assert made.settings == {"model": "llama3.2:latest", "base_url": f"http://{place}/v1", "key_env": ""}
        assert made.turns_a_day == 200

    def test_without_one_it_says_how_to_have_one_and_offers_the_others(self, monkeypatch):
        monkeypatch.setenv(nearby.VARIABLE, "127.0.0.1:1")
        shown = browser("alex").get("/admin/begin/").content.decode()
        assert "No Ollama answers here" in shown
        for word in ("key_env=OPENAI_API_KEY", "key_env=ANTHROPIC_API_KEY", "base_url="):
            assert word in shown

    def test_the_list_of_agents_leads_there(self):
        assert 'href="/admin/begin/"' in browser("alex").get("/admin/roster/agent/").content.decode()

    def test_who_is_no_staff_finds_no_way_in(self, monkeypatch):
        monkeypatch.setattr(nearby, "ollama", lambda: pytest.fail("looked for somebody who may not"))
        assert browser("sam").get("/admin/begin/").status_code == 302

    def test_what_an_address_says_besides_fields_is_nothing(self):
        shown = (
            browser("alex").get("/admin/roster/agent/add/?handle=%3Cb%3Ex&nonsense=7&provider=unheard").content.decode()
        )
        assert "<b>x" not in shown
        assert "&lt;b&gt;x" in shown
