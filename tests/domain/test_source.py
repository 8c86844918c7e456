"""Sources: what one may be called, how it may be reached, and what never reaches it."""

from __future__ import annotations

import pytest

from messaging.domain import source
from messaging.domain.source import fault, is_name, may_pass, source_of, tool_name


@pytest.mark.parametrize("name", ["things", "a", "a1", "two_words", "x" * 32])
def test_names(name):
    assert is_name(name)
    assert source_of(tool_name(name, "a__b")) == name


@pytest.mark.parametrize("name", ["", "Things", "two__words", "_a", "a_", "1a", "a-b", "a b", "x" * 33, "a\n", "*"])
def test_what_is_no_name(name):
    assert not is_name(name)


@pytest.mark.parametrize(
    ("transport", "settings"),
    [
        ("stdio", {"command": ["things"]}),
        ("stdio", {"command": ["/usr/bin/things", "--quiet", ""], "env": ["ACME_API_KEY", "tz"], "timeout": 5}),
        ("http", {"url": "https://example.org/mcp", "key_env": "ACME_API_KEY"}),
        ("http", {"url": "https://example.org/mcp", "key_file": "/etc/earshot/acme_api_key", "timeout": 0.5}),
        ("http", {"url": "https://example.org/mcp", "no_key": True}),
        ("http", {"url": "http://localhost:9000/mcp"}),
        ("http", {"url": "http://10.0.0.7/mcp", "no_key": False}),
        ("folder", {"path": "/srv/papers"}),
        ("folder", {"path": "/srv/pro cess"}),
    ],
)
def test_what_fits(transport, settings):
    assert fault(transport, settings) is None


@pytest.mark.parametrize(
    ("transport", "settings", "name"),
    [
        ("stdio", {}, "command"),
        ("stdio", {"command": "things --quiet"}, "command"),
        ("stdio", {"command": []}, "command"),
        ("stdio", {"command": [""]}, "command"),
        ("stdio", {"command": ["./things"]}, "command"),
        ("stdio", {"command": ["bin/things"]}, "command"),
        ("stdio", {"command": ["things", 3]}, "command"),
        ("stdio", {"command": ["things", "a\0b"]}, "command"),
        ("stdio", {"command": ["x"] * 65}, "command"),
        ("stdio", {"command": ["things"], "env": "ACME_API_KEY"}, "env"),
        ("stdio", {"command": ["things"], "env": ["ACME_API_KEY=secret"]}, "env"),
        ("stdio", {"command": ["things"], "env": ["DATABASE_URL"]}, "env"),
        ("stdio", {"command": ["things"], "env": ["AGENTS_REDIS_URL"]}, "env"),
        ("stdio", {"command": ["things"], "timeout": 0}, "timeout"),
        ("stdio", {"command": ["things"], "timeout": 601}, "timeout"),
        ("stdio", {"command": ["things"], "timeout": True}, "timeout"),
        ("stdio", {"command": ["things"], "path": "/srv"}, "path"),
        ("http", {}, "url"),
        ("http", {"url": "ftp://example.org", "no_key": True}, "url"),
        ("http", {"url": "https://sam:pass@example.org/mcp", "no_key": True}, "url"),
        ("http", {"url": "https://example.org/mcp"}, "key_env"),
        ("http", {"url": "https://example.org/mcp", "key_env": "token-1234"}, "key_env"),
        ("http", {"url": "https://example.org/mcp", "key_env": "SECRET_KEY"}, "key_env"),
        ("http", {"url": "https://example.org/mcp", "key_file": "/etc/shadow"}, "key_file"),
        ("http", {"url": "https://example.org/mcp", "key_env": "A_API_KEY", "key_file": "/etc/a_api_key"}, "key_file"),
        ("http", {"url": "https://example.org/mcp", "key_env": "A_API_KEY", "no_key": True}, "no_key"),
        ("http", {"url": "https://example.org/mcp", "no_key": "yes"}, "no_key"),
        ("folder", {}, "path"),
        ("folder", {"path": "/"}, "path"),
        ("folder", {"path": "//srv"}, "path"),
        ("folder", {"path": "papers"}, "path"),
        ("folder", {"path": "/srv/../etc"}, "path"),
        ("folder", {"path": "/srv/"}, "path"),
        ("folder", {"path": "/home/kim/.ssh"}, "path"),
        ("folder", {"path": "/proc"}, "path"),
        ("folder", {"path": "/proc/1"}, "path"),
        ("folder", {"path": "/dev/pts"}, "path"),
        ("folder", {"path": "/srv/a\0b"}, "path"),
    ],
)
def test_what_does_not_fit_is_named_and_its_value_is_not_told(transport, settings, name):
    found = fault(transport, settings)
    assert found is not None
    assert found[0] == name
    assert "1234" not in found[1]
    assert "pass@" not in found[1]


@pytest.mark.parametrize("name", ["DATABASE_URL", "SECRET_KEY", "REDIS_URL", "EMAIL_URL", "AGENTS_DATABASE_URL", "EARSHOT_TOKEN",
                                  "DJANGO_SETTINGS_MODULE"])  # fmt: skip
def test_nothing_of_ours_is_passed_on(name):
    assert not may_pass(name)
    assert may_pass(f"X_{name}")


def test_each_reason_to_leave_a_tool_out_has_words():
    assert set(source.LEFT_OUT) == set(source.LeftOut)


def test_seconds_of_a_call():
    assert source.seconds({}) == source.CALL_SECONDS
    assert source.seconds({"timeout": 3}) == 3.0
