"""The real client libraries against a server that behaves like the originals, well and badly."""

from __future__ import annotations

import logging
import time
from typing import Any

import pytest

from messaging.agents import providers, turn
from messaging.agents.providers import ProviderError
from messaging.domain import reason
from messaging.domain.turn import MAX_ATTEMPTS
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Attempt, Delivery, Seat, Turn, Utterance
from tests.agents.requests import heard, request, said
from tests.mailbox import cast
from tests.models.plays import Cut, Fault, Play, Raw, Say, Silence, Status, WrongOrder
from tests.models.server import ModelServer
from tests.services.child import free_port

KEY = "sk-test-0123456789abcdef"
NAMES = ("openai", "anthropic")
PATHS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
HTML = Raw(b"<html><body>Welcome to the hotel's network</body></html>", "text/html")
NOT_HTTP_EVENTS = Raw(b"\xff\xfe\x00data: \xff\n\n")
BROKEN = Raw(b'event: message_start\ndata: {"type": \n\n')
ODD_TYPES = Raw(b'event: message_start\ndata: {"type": "message_start", "message": 5}\n\ndata: [1]\n\n')

#: What the server does, the reason it ends in, and the seconds that the provider asks for.
CASES: list[tuple[str, Play, str, float | None]] = [
    ("401", Status(401, f"Incorrect API key provided: {KEY}"), "provider_auth", None),
    ("403", Status(403), "provider_auth", None),
    ("404", Status(404), "provider_unknown_model", None),
    ("400", Status(400), "provider_refused", None),
    ("422", Status(422), "provider_refused", None),
    ("408", Status(408), "provider_error", None),
    ("429", Status(429, headers={"retry-after": "7"}), "provider_busy", 7.0),
    ("429 without a wish", Status(429), "provider_busy", None),
    ("500", Status(500, f"trace: {KEY}"), "provider_error", None),
    ("502", Raw(b"<html>Bad gateway</html>", "text/html", 502), "provider_error", None),
    ("503", Status(503, headers={"retry-after": "2"}), "provider_busy", 2.0),
    ("529", Status(529), "provider_busy", None),
    ("cut", Cut(), "provider_cut", None),
    ("cut before the first word", Cut(pieces=()), "provider_cut", None),
    ("cut politely", Cut(clean=True), "provider_cut", None),
    ("overloaded inside the stream", Fault("overloaded_error"), "provider_busy", None),
    ("silent", Silence(30), "provider_timeout", None),
    ("silent in the middle", Silence(30, begun=True), "provider_timeout", None),
    ("html", HTML, "provider_nonsense", None),
    ("broken json", BROKEN, "provider_nonsense", None),
    ("odd types", ODD_TYPES, "provider_nonsense", None),
    ("no text at all", NOT_HTTP_EVENTS, "provider_nonsense", None),
]


def stream(name: str, url: str, *lines: Any, **settings: Any) -> str:
    known: dict[str, Any] = {"model": "local", "base_url": url, "key_env": "TEST_API_KEY", "timeout": 0.6}
    asked = request(*(lines or [heard(1, "hello")]), **(known | settings))
    return "".join(bit for bit in providers.get(name).stream(asked) if isinstance(bit, str))


def url_of(server: ModelServer, name: str) -> str:
    return server.openai_url if name == "openai" else server.anthropic_url


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_API_KEY", KEY)


@pytest.mark.parametrize("name", NAMES)
def test_streams_an_answer(name):
    with ModelServer(Say(("Hel", "lo ", "thé😀"), pause=0.02)) as server:
        assert stream(name, url_of(server, name)) == "Hello thé😀"
        [got] = server.requests
    assert got.path == PATHS[name]
    assert KEY in str(got.headers)
    assert KEY not in got.text
    assert got.body["stream"] is True


@pytest.mark.parametrize("name", NAMES)
def test_the_request_holds_the_conversation_in_order(name):
    lines = [heard(1, "first"), said(2, "second"), heard(3, "third")]
    with ModelServer() as server:
        stream(name, url_of(server, name), *lines, instructions="Be brief.")
        body = server.requests[0].body
    roles = [message["role"] for message in body["messages"] if message["role"] != "system"]
    assert roles == ["user", "assistant", "user"]
    told = server.requests[0].text
    assert told.index("first") < told.index("second") < told.index("third")
    assert "Be brief." in told
    assert "You are Mirror" in told


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("play", "code", "wait"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_each_failure_has_its_reason_and_is_asked_once(name, play, code, wait, caplog):
    with caplog.at_level(logging.DEBUG), ModelServer(play) as server, pytest.raises(ProviderError) as failed:
        stream(name, url_of(server, name))
    told = failed.value
    assert (told.reason, told.wait) == (code, wait)
    assert reason.words(code)
    assert len(server.requests) == 1, "attempts are rows: no library tries again by itself"
    assert KEY not in f"{told!r} {told.__cause__!r} {caplog.text}"
    assert "hello" not in caplog.text


@pytest.mark.parametrize("name", NAMES)
def test_a_refused_connection_passes(name):
    with pytest.raises(ProviderError) as failed:
        stream(name, f"http://127.0.0.1:{free_port()}")
    assert failed.value.reason == "provider_unreachable"


@pytest.mark.parametrize("name", NAMES)
def test_the_whole_attempt_has_a_deadline(name):
    """A server that always says a little more keeps every silence short."""
    began = time.monotonic()
    with ModelServer(Say(("x",) * 100, pause=0.1)) as server, pytest.raises(ProviderError) as failed:
        stream(name, url_of(server, name), deadline=0.7)
    assert failed.value.reason == "provider_timeout"
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("play", [Say(pieces=()), Say(("  ",))])
def test_a_well_ended_silence_is_an_empty_answer(name, play):
    with ModelServer(play) as server:
        assert stream(name, url_of(server, name)).strip() == ""


@pytest.mark.parametrize("name", NAMES)
def test_events_in_the_wrong_order_make_no_answer(name):
    with ModelServer(WrongOrder()) as server:
        try:
            ended = stream(name, url_of(server, name)) or "empty_answer"
        except ProviderError as failed:
            ended = failed.reason
    assert ended == {"openai": "empty_answer", "anthropic": "provider_nonsense"}[name]


@pytest.mark.parametrize("name", NAMES)
def test_no_redirect_takes_the_key_elsewhere(name):
    with ModelServer() as elsewhere:
        away = Raw(b"{}", "application/json", 307, {"Location": url_of(elsewhere, name) + PATHS[name][3:]})
        with ModelServer(away) as server, pytest.raises(ProviderError) as failed:
            stream(name, url_of(server, name))
        assert failed.value.reason == "provider_refused"
        assert elsewhere.requests == []


@pytest.mark.parametrize("name", NAMES)
def test_giving_up_closes_the_connection(name):
    with ModelServer(Say(("x",) * 1000, pause=0.02)) as server:
        asked = request(heard(1, "hello"), model="local", base_url=url_of(server, name))
        bits = providers.get(name).stream(asked)
        while not next(bits):
            pass
        began = time.monotonic()
        bits.close()  # type: ignore[attr-defined]
        assert time.monotonic() - began < 2


@pytest.mark.parametrize("name", NAMES)
def test_a_pulse_is_kept_while_a_model_thinks(name):
    with ModelServer(Say(("x",), first=0.9)) as server:
        asked = request(heard(1, "hello"), model="local", base_url=url_of(server, name))
        bits = list(providers.get(name).stream(asked))
    assert bits.count("") >= 3
    assert "".join(bit for bit in bits if isinstance(bit, str)) == "x"


def seat_with(name: str, server: ModelServer) -> Seat:
    settings = {"model": "local", "base_url": url_of(server, name), "key_env": "TEST_API_KEY", "timeout": 0.6}
    seat = cast.mirror(provider=name, settings=settings)
    cast.told(seat, "hello")
    return seat


def run_out(seat: Seat) -> int:
    """Attempt after attempt until nothing is left to do; how many there were."""
    for n in range(MAX_ATTEMPTS + 1):
        got = claim(seat.id)
        if got is None:
            return n
        turn.run(got, lambda: False)
        cast.backoff_passes(got.turn)
    raise AssertionError("more attempts than there may be")


def everything_stored() -> str:
    tables = (Seat, Delivery, Turn, Attempt, Utterance)
    return repr([list(table._default_manager.values()) for table in tables])


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("play", "code"),
    [(Status(401, KEY), "provider_auth"), (Status(429, KEY), "provider_busy"), (Status(500, KEY), "provider_error"),
     (Cut(), "provider_cut"), (HTML, "provider_nonsense"), (Say(pieces=()), "empty_answer")],
)  # fmt: skip
def test_a_turn_ends_in_a_clear_state_without_secrets(name, play, code, caplog):
    passing = code in reason.PASSING
    with caplog.at_level(logging.DEBUG), ModelServer(play) as server:
        tries = run_out(seat_with(name, server))
    assert tries == len(server.requests) == (MAX_ATTEMPTS if passing else 1)
    row = Turn.objects.get()
    assert (row.state, row.reason, row.retryable) == ("failed", code, passing)
    assert {(a.state, a.reason, a.retryable) for a in Attempt.objects.all()} == {("failed", code, passing)}
    assert Delivery.objects.get().state == "delivered"
    assert not Utterance.objects.filter(kind="answer").exists()
    assert KEY not in everything_stored() + caplog.text
    assert KEY not in reason.words(row.reason, "Mirror")


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_an_attempt_after_a_failure_answers(name):
    with ModelServer(Status(529), Cut(), Say(("at ", "last"))) as server:
        assert run_out(seat_with(name, server)) == 3
    assert Turn.objects.get().state == "finished"
    assert Utterance.objects.get(kind="answer").text == "at last"
