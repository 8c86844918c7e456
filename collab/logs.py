"""Logs without message text and without secrets.

What an exception says may quote what people wrote: a database error shows the failing row, a validation error
its input. So a logged exception is its type and its place, never its words.
"""

from __future__ import annotations

import logging
import re
import traceback
from types import TracebackType
from typing import Any

SIGN_IN_CODE = re.compile(r"(/sign-in/)[^\s/?]+")
ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class Discreet(logging.Formatter):
    """Formats records so that neither an exception's words nor a sign-in code get out."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, with Celery's copy of an exception's words and codes in paths taken out."""
        if isinstance(record.args, dict) and "exc" in record.args:
            record.args = record.args | {"exc": _type_name(record), "traceback": ""}
        return SIGN_IN_CODE.sub(r"\1…", super().format(record))

    def formatException(self, ei: ExceptionInfo) -> str:  # noqa: N802 — logging's own name
        """Return where it happened and of what type it was."""
        lines = []
        error: BaseException | None = ei[1]
        while error is not None:
            lines.extend(traceback.format_tb(error.__traceback__))
            lines.append(f"{type(error).__module__}.{type(error).__qualname__}{_facts(error)}\n")
            error = error.__cause__ or error.__context__
        return "".join(lines).rstrip()


def _facts(error: BaseException) -> str:
    """What a database says about its refusal in names that are ours: no values of rows."""
    state, report = getattr(error, "sqlstate", None), getattr(error, "diag", None)
    names = [state, getattr(report, "table_name", None), getattr(report, "constraint_name", None)]
    told = " ".join(name for name in names if isinstance(name, str))
    return f" ({told})" if told else ""


def _type_name(record: logging.LogRecord) -> str:
    kind = record.exc_info[0] if record.exc_info else None
    return kind.__qualname__ if kind else "an exception"


LOGGING_SETUP: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "discreet": {
            "()": "collab.logs.Discreet",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "discreet"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "collab": {"level": "INFO"},
        "messaging": {"level": "INFO"},
        # Django brings handlers of its own for these, which know no discretion.
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.server": {"handlers": [], "propagate": True},
        # A refused request is answered, not logged: its path may tell who looks for what.
        "django.request": {"level": "ERROR"},
        "uvicorn": {"level": "WARNING"},
        "celery": {"level": "WARNING"},
        # Being told to stop is no warning.
        "celery.worker.control": {"level": "ERROR"},
    },
}
