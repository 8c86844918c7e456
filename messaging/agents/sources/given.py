"""What comes from a server, as it is kept and told to models: data, bounded, without what no store takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from messaging.domain.call import bounded
from messaging.domain.source import MAX_DESCRIPTION, MAX_SCHEMA, MAX_TOOLS, TOOL, LeftOut, tool_name

if TYPE_CHECKING:
    import mcp_types

#: Characters of a name that is kept of a tool which nobody is offered.
_LONGEST_NAME = 100
_OTHERS = {"image": "an image", "audio": "a sound"}


def plain(text: str) -> str:
    """Without the one sign that PostgreSQL does not keep, and without halves of signs."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


def listing(source: str, tools: Iterable[mcp_types.Tool]) -> tuple[list[dict[str, Any]], str]:
    """The tools as they are kept with their source, and a fault where there were too many."""
    found: list[dict[str, Any]] = []
    names: set[str] = set()
    for tool in tools:
        if len(found) == MAX_TOOLS:
            return found, "source_many"
        found.append(_record(source, tool, names))
        names.add(tool.name)
    return found, ""


def _record(source: str, tool: mcp_types.Tool, names: set[str]) -> dict[str, Any]:
    left_out = ""
    if tool.name in names:
        left_out = LeftOut.TWICE
    elif not tool.name or not TOOL.fullmatch(tool_name(source, tool.name)):
        left_out = LeftOut.NAME
    elif not _may_be_told(tool.input_schema):
        left_out = LeftOut.SCHEMA
    hints = tool.annotations
    return {
        "name": plain(tool.name)[:_LONGEST_NAME],
        "description": bounded(plain(tool.description or tool.title or ""), MAX_DESCRIPTION),
        "schema": {} if left_out else tool.input_schema,
        # Only what says that it changes nothing may be tried again.
        "acts": not (hints is not None and hints.read_only_hint is True),
        "left_out": str(left_out),
    }


def _may_be_told(schema: Mapping[str, Any]) -> bool:
    """Whether a schema is one of an object, not too long, and of what every store keeps."""
    try:
        written = json.dumps(schema, allow_nan=False)
    except ValueError:
        return False
    return schema.get("type") == "object" and len(written) <= MAX_SCHEMA and "\\u0000" not in written


def text_of(result: mcp_types.CallToolResult) -> str:
    """Its texts; what is none is named. Where there is no text: what it gives for programs, as JSON."""
    parts = list(_parts(result))
    if not any(part for part, carried in parts if carried) and result.structured_content is not None:
        parts.insert(0, (json.dumps(result.structured_content, ensure_ascii=False), True))
    return bounded(plain("\n".join(part for part, _ in parts if part)))


def _parts(result: mcp_types.CallToolResult) -> Iterator[tuple[str, bool]]:
    """Each part as text, and whether that is what it said."""
    for part in result.content:
        match part.type:
            case "text":
                yield part.text, True
            case "resource_link":
                yield f"{part.name}: {part.uri}", True
            case "resource":
                text = getattr(part.resource, "text", None)
                yield ("(a file was left out)", False) if text is None else (text, True)
            case other:
                yield f"({_OTHERS.get(other, 'something')} was left out)", False
