from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from collab.security import HEADER, ContentSecurityPolicy


def policy(path: str, own: str | None = None) -> dict[str, str]:
    def answer(_: HttpRequest) -> HttpResponse:
        return HttpResponse(headers={HEADER: own} if own else {})

    request = HttpRequest()
    request.path = path
    header = ContentSecurityPolicy(answer)(request).headers[HEADER]
    return dict(part.strip().split(" ", 1) for part in header.split(";"))


def test_pages_load_nothing_from_elsewhere_and_nothing_inline():
    found = policy("/s/welcome/")
    assert found["default-src"] == "'none'"
    assert found["frame-ancestors"] == found["base-uri"] == "'none'"
    assert found["script-src"] == found["style-src"] == found["connect-src"] == found["form-action"] == "'self'"
    assert not any("unsafe" in rule or "http" in rule or "*" in rule for rule in found.values())


def test_the_admin_s_looser_policy_is_for_the_admin_alone():
    assert "'unsafe-inline'" in policy("/admin/login/")["script-src"]
    assert "'unsafe-inline'" not in policy("/administration")["script-src"]
    assert policy("/admin/")["frame-ancestors"] == "'none'"


def test_an_answer_may_be_stricter():
    assert policy("/files/1", "sandbox allow-downloads") == {"sandbox": "allow-downloads"}


def test_cookies_are_for_encrypted_connections_where_there_is_one(monkeypatch: Any):
    from tests.test_settings import evaluated

    plain = evaluated("house", "SESSION_COOKIE_SECURE, CSRF_COOKIE_SECURE, SECURE_HSTS_SECONDS > 0")
    public = evaluated(
        "house",
        "SESSION_COOKIE_SECURE, CSRF_COOKIE_SECURE, SECURE_HSTS_SECONDS > 0",
        PUBLIC_URL="https://earshot.example.org",
    )
    assert plain == "(False, False, False)"
    assert public == "(True, True, True)"
