"""Logs without message text and without secrets.

What an exception says may quote what people wrote: a database error shows the failing row, a validation error
its input. So a logged exception is its type and its place, never its words.
"""

from __future__ import annotations

import json
import logging
import logging.config
import re
import sys
import threading
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from types import TracebackType
from typing import Any

READINESS = "/readyz"
CODES = re.compile(r"(/(?:sign-in|join)/)[^\s/?]+")
ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class Discreet(logging.Formatter):
    """Formats records so that neither an exception's words nor a code of a link get out."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, with words of exceptions in its arguments and codes in paths taken out."""
        _be_discreet(record)
        return CODES.sub(r"\1…", super().format(record))

    def formatException(self, ei: ExceptionInfo) -> str:  # noqa: N802 — logging's own name
        """Return where it happened and of what type it was."""
        lines = []
        error: BaseException | None = ei[1]
        while error is not None:
            lines.extend(traceback.format_tb(error.__traceback__))
            lines.append(f"{type(error).__module__}.{type(error).__qualname__}{_facts(error)}\n")
            error = error.__cause__ or error.__context__
        return "".join(lines).rstrip()


class JsonLines(Discreet):
    """One JSON object a line: time (UTC), level, logger, message, process, and an exception's types and places."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line. Whatever else hangs on the record is left out: nobody has looked at it."""
        _be_discreet(record)
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": CODES.sub(r"\1…", record.getMessage()),
            "process": record.process,
        }
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False, default=str)


class ReadinessApart(logging.Filter):
    """Leaves out what Django says of each 503 of /readyz: readiness is logged when it changes, by who tells it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether the record stays."""
        unready = getattr(record, "status_code", None) == HTTPStatus.SERVICE_UNAVAILABLE
        return not (unready and getattr(getattr(record, "request", None), "path", None) == READINESS)


def _be_discreet(record: logging.LogRecord) -> None:
    """Take out what libraries quote of an exception beside it."""
    if isinstance(record.args, dict) and "exc" in record.args:
        record.args = record.args | {"exc": _type_name(record), "traceback": ""}
    elif isinstance(record.args, tuple):
        record.args = tuple(type(one).__name__ if isinstance(one, BaseException) else one for one in record.args)
    if record.name == "asyncio" and isinstance(record.msg, str):
        # Its first line says what happened; those below show the future with its exception's words.
        record.msg = record.msg.split("\n", 1)[0]


def _facts(error: BaseException) -> str:
    """What a database says about its refusal in names that are ours: no values of rows."""
    state, report = getattr(error, "sqlstate", None), getattr(error, "diag", None)
    names = [state, getattr(report, "table_name", None), getattr(report, "constraint_name", None)]
    told = " ".join(name for name in names if isinstance(name, str))
    return f" ({told})" if told else ""


def _type_name(record: logging.LogRecord) -> str:
    kind = record.exc_info[0] if record.exc_info else None
    return kind.__qualname__ if kind else "an exception"


FORMATS: dict[str, dict[str, str]] = {
    "text": {"()": "collab.logs.Discreet", "format": "{asctime} {levelname} {name}: {message}", "style": "{"},
    "json": {"()": "collab.logs.JsonLines"},
}


def setup(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the logging settings of a process with that environment; an unknown LOG_FORMAT is refused elsewhere."""
    chosen = FORMATS.get(environ.get("LOG_FORMAT") or "text", FORMATS["text"])
    return LOGGING_SETUP | {"formatters": {"discreet": chosen}}


def configure(settings: dict[str, Any]) -> None:
    """Set logging up, and the hooks with it."""
    logging.config.dictConfig(settings)
    hook()


def hook() -> None:
    """Have this process log what nobody catches, and warnings: Python itself would print an exception's words."""
    logging.captureWarnings(capture=True)
    sys.excepthook = lambda kind, error, place: _uncaught((kind, error, place))
    threading.excepthook = _uncaught_in_thread


def _uncaught_in_thread(told: threading.ExceptHookArgs) -> None:
    if told.exc_value is not None:
        _uncaught((told.exc_type, told.exc_value, told.exc_traceback))


def _uncaught(info: ExceptionInfo) -> None:
    if isinstance(info[1], KeyboardInterrupt | SystemExit):
        return
    logging.getLogger(__name__).critical("Nobody caught this", exc_info=info)


LOGGING_SETUP: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"readiness": {"()": "collab.logs.ReadinessApart"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "discreet"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "collab": {"level": "INFO"},
        "messaging": {"level": "INFO"},
        # Django brings handlers of its own for these, which know no discretion.
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.server": {"handlers": [], "propagate": True},
        # A refused request is answered, not logged: its path may tell who looks for what.
        "django.request": {"level": "ERROR", "filters": ["readiness"]},
        "uvicorn": {"level": "WARNING"},
        "celery": {"level": "WARNING"},
        # Being told to stop is no warning.
        "celery.worker.control": {"level": "ERROR"},
    },
}
