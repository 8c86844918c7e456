"""How the API writes JSON: moments whole, as sockets and the short way in write them.

Django's own encoder cuts them to milliseconds, so that one message would have two times of its making.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder


class _Exact(NinjaJSONEncoder):
    def default(self, o: Any) -> Any:
        """A moment in UTC to its last microsecond; the rest as ever."""
        if isinstance(o, datetime):
            return o.isoformat().replace("+00:00", "Z")
        return super().default(o)


class Exact(JSONRenderer):
    """The API's renderer."""

    encoder_class = _Exact
