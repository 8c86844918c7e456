"""What no request may do to the server, whoever sends it."""

from __future__ import annotations

import pytest

from collab.security import BoundedBodies


async def run(chunks, most=100):
    """What an app that reads everything answers, and how much of the body it was given."""
    taken, told = [], []
    left = iter(chunks)

    async def receive():
        body = next(left, None)
        return {"type": "http.request", "body": body or b"", "more_body": body is not None}

    async def send(event):
        told.append(event)

    async def app(scope, receive, send):
        while (event := await receive())["more_body"]:
            taken.append(event["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    await BoundedBodies(app, most)({"type": "http"}, receive, send)
    return told[0]["status"], sum(map(len, taken))


@pytest.mark.parametrize(
    ("chunks", "status", "taken"), [([b"x" * 50, b"x" * 50], 200, 100), ([b"x" * 60] * 50, 413, 60), ([], 200, 0)]
)
async def test_a_body_without_a_length_is_cut_at_the_bound(chunks, status, taken):
    assert await run(chunks) == (status, taken)
