"""Sources: named MCP servers and folders from which hosted agents get tools (decisions, "Dispatch")."""

from __future__ import annotations

import re
from enum import StrEnum

#: How a source may be called. A tool of it is called by its name, two underlines and the tool's own.
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
MAX_NAME = 32
#: What models take as the name of a tool.
TOOL = re.compile(r"[A-Za-z0-9_-]{1,64}")
BETWEEN = "__"
#: In the place of a tool's name: all of a source's tools that are not named themselves.
EVERY = "*"


class Transport(StrEnum):
    """How a source is reached: a program that is started, a server, or a folder that is read."""

    STDIO = "stdio"
    HTTP = "http"
    FOLDER = "folder"


def tool_name(source: str, tool: str) -> str:
    """By what name policies, models and people call a source's tool."""
    return f"{source}{BETWEEN}{tool}"


def source_of(name: str) -> str:
    """The source whose tool is called so; empty for a tool of the house."""
    source, between, _ = name.partition(BETWEEN)
    return source if between else ""
