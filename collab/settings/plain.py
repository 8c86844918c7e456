"""How the cache lies in Redis: as JSON. Django would pickle, and a pickle runs whatever its writer wished."""

from __future__ import annotations

import json


class Plain:
    """A serializer for Django's Redis cache, which holds counters alone."""

    def dumps(self, value: object) -> str:
        """Return the value as Redis keeps it; a number stays one that Redis can count up."""
        return json.dumps(value)

    def loads(self, raw: bytes) -> object:
        """Return the value. Raises ValueError for what is no JSON."""
        return json.loads(raw)
