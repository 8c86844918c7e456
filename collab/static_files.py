"""Style sheets, scripts and icons, answered before Django and its threads are asked."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.exceptions import SuspiciousFileOperation
from django.core.management import call_command
from whitenoise.base import WhiteNoise
from whitenoise.responders import Response
from whitenoise.storage import CompressedManifestStaticFilesStorage

Scope = Mapping[str, Any]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
HASHED_NAME = re.compile(r"\.[0-9a-f]{12}\.[^/]+$")


class HashedStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Names files by their content, inside modules that import each other too."""

    support_js_module_import_aggregation = True


class StaticFiles:
    """Answers requests below the address of static files."""

    def __init__(self) -> None:
        self._files = WhiteNoise(None, allow_all_origins=False, immutable_file_test=_immutable)
        self._found = settings.STORAGES["staticfiles"]["BACKEND"].endswith(".StaticFilesStorage")
        if not self._found:
            self._files.add_files(str(settings.STATIC_ROOT), prefix=settings.STATIC_URL)

    def serves(self, scope: Scope) -> bool:
        """Whether this request is one for a static file."""
        return bool(scope["path"].startswith(settings.STATIC_URL))

    async def __call__(self, scope: Scope, send: Send) -> None:
        """Answer with the file, or that there is none."""
        status, headers, body = await asyncio.to_thread(self._response, scope)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _response(self, scope: Scope) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        file = self._file(scope["path"])
        if file is None or scope["method"] not in ("GET", "HEAD"):
            return (404 if file is None else 405), [(b"content-length", b"0")], b""
        return _answer(file.get_response(scope["method"], _cgi_names(scope["headers"])))

    def _file(self, path: str) -> Any:
        if not self._found:
            return self._files.files.get(path)
        # While somebody works on them, files are looked up where they lie, at each request anew.
        place = _found(path.removeprefix(settings.STATIC_URL))
        return self._files.get_static_file(place, path) if place else None


def _found(name: str) -> str | None:
    try:
        place = finders.find(name)
    except (SuspiciousFileOperation, ValueError):
        # A name that climbs out of the folders, or that no file can have.
        return None
    return place if place and Path(place).is_file() else None


def _immutable(_path: str, url: str) -> bool:
    return HASHED_NAME.search(url) is not None


def _cgi_names(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    return {
        "HTTP_" + name.decode("latin-1").upper().replace("-", "_"): value.decode("latin-1") for name, value in headers
    }


def _answer(response: Response) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.headers]
    headers.append((b"x-content-type-options", b"nosniff"))
    if response.file is None:
        return response.status.value, headers, b""
    with response.file:
        return response.status.value, headers, response.file.read()


def collect() -> bool:
    """Gather the files under their hashed names if any has changed; tell whether that was so."""
    root = Path(settings.STATIC_ROOT)
    root.mkdir(parents=True, exist_ok=True)
    stamp = root.with_name("static.stamp")
    with root.with_name("static.lock").open("w") as lock:
        # Several web processes may start at once on one data folder.
        fcntl.flock(lock, fcntl.LOCK_EX)
        now = hashlib.sha256("\n".join(_state()).encode()).hexdigest()
        if stamp.exists() and stamp.read_text() == now:
            return False
        call_command("collectstatic", interactive=False, verbosity=0)
        stamp.write_text(now)
    return True


def _state() -> Iterator[str]:
    yield settings.STORAGES["staticfiles"]["BACKEND"]
    for finder in finders.get_finders():
        for path, storage in finder.list(None):
            stat = Path(storage.path(path)).stat()
            yield f"{path} {stat.st_mtime_ns} {stat.st_size}"
