from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.files.storage import storages
from django.test import override_settings

from collab import static_files
from collab.static_files import StaticFiles


class Answer:
    def __init__(self, events: list[Any]) -> None:
        self.status = events[0]["status"]
        self.headers = {name.decode(): value.decode() for name, value in events[0]["headers"]}
        self.body = events[1]["body"]


def ask(files: StaticFiles, path: str, method: str = "GET", **headers: str) -> Answer:
    sent: list[Any] = []

    async def send(event: Any) -> None:
        sent.append(event)

    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "path": path, "method": method, "headers": named}
    assert files.serves(scope)
    asyncio.run(files(scope, send))
    return Answer(sent)


@pytest.fixture(params=["hashed", "found"])
def files(request: pytest.FixtureRequest) -> StaticFiles:
    if request.param == "hashed":
        request.getfixturevalue("gathered")
    return StaticFiles()


HASHED = {"staticfiles": {"BACKEND": "collab.static_files.HashedStorage"}}


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files gathered as an installation does, for all who only look at them."""
    folder = tmp_path_factory.mktemp("gathered") / "static"
    with override_settings(STATIC_ROOT=folder, STORAGES=settings.STORAGES | HASHED):
        assert static_files.collect()
    return folder


@pytest.fixture
def gathered(once: Path, settings: Any) -> Path:
    """A server's settings with these files."""
    settings.STATIC_ROOT = once
    settings.STORAGES = settings.STORAGES | HASHED
    return once


def test_files_are_gathered_only_when_one_has_changed(tmp_path: Path, settings: Any):
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STORAGES = settings.STORAGES | HASHED
    assert static_files.collect()
    assert not static_files.collect()
    (tmp_path / "static.stamp").write_text("another state")
    assert static_files.collect()


def test_a_hashed_file_is_for_ever_and_small(gathered: Path):
    url = storages["staticfiles"].url("unfold/css/styles.css")
    assert re.search(r"styles\.[0-9a-f]{12}\.css$", url)
    answer = ask(StaticFiles(), url, accept_encoding="gzip")
    assert answer.status == 200
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) == len(answer.body)


def test_what_a_browser_has_is_not_sent_again(gathered: Path):
    url = storages["staticfiles"].url("unfold/css/styles.css")
    tag = ask(StaticFiles(), url).headers["etag"]
    again = ask(StaticFiles(), url, if_none_match=tag)
    assert (again.status, again.body) == (304, b"")


def test_modules_import_each_other_by_their_hashed_names(gathered: Path):
    module = next(path for path in gathered.glob("web/js/**/*.js") if re.search(r"\.[0-9a-f]{12}\.js$", path.name))
    for path in module.parent.glob("*.js"):
        if re.search(r"\.[0-9a-f]{12}\.js$", path.name):
            for target in re.findall(r'from "(\.[^"]+)"', path.read_text()):
                assert re.search(r"\.[0-9a-f]{12}\.js$", target), (path.name, target)


def test_a_file_is_served_with_its_type_and_not_sniffed(files: StaticFiles):
    answer = ask(files, "/static/unfold/css/styles.css")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/css")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.body


def test_only_reading_is_allowed(files: StaticFiles):
    assert ask(files, "/static/unfold/css/styles.css", "POST").status == 405
    head = ask(files, "/static/unfold/css/styles.css", "HEAD")
    assert (head.status, head.body) == (200, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/static/none.css",
        "/static/",
        "/static/../secret_key",
        "/static/unfold/../../../secret_key",
        "/static//etc/passwd",
        "/static/unfold/css",
        "/static/\x00",
    ],
)
def test_nothing_else_is_served(files: StaticFiles, path: str):
    assert ask(files, path).status == 404


def test_pages_are_not_for_it():
    assert not StaticFiles().serves({"path": "/sign-in/"})
    assert settings.STATIC_URL == "/static/"
    assert staticfiles_storage.url("x.css") == "/static/x.css"
