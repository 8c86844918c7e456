"""What import contracts cannot say: the rules use the standard library, whatever else gets installed."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

DOMAIN = Path(__file__).resolve().parents[1] / "messaging" / "domain"


def imported(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""


def outside(source: str) -> set[str]:
    allowed = sys.stdlib_module_names
    return {
        name
        for name in imported(source)
        if name.split(".")[0] not in allowed and not name.startswith("messaging.domain")
    }


def test_the_rules_import_the_standard_library_alone():
    files = sorted(DOMAIN.rglob("*.py"))
    assert files
    assert {str(file): found for file in files if (found := outside(file.read_text()))} == {}


def test_the_check_can_see():
    assert outside("import orjson\nfrom messaging.mailbox import put\nimport json\n") == {
        "orjson",
        "messaging.mailbox",
    }
