"""Pages name only what exists, and code refers only to what the pages hold."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.urls import Resolver404, resolve

from collab.api import gives
from collab.api.api import api
from collab.cli.main import ROLES
from collab.live import consumer
from collab.live.routing import websocket_urlpatterns
from messaging.transcript.stream import PieceView

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
NAMED = re.compile(r"`((?:collab|messaging|channels_app|tests|docs|bin|requirements)/[\w./-]*?)(?::([\w.]+))?`")
LINK = re.compile(r"\]\(([\w./-]+\.md)\)")
PROMISE = re.compile(r"\bpromises? (\d+)", re.IGNORECASE)
FAULT = re.compile(r"\bF\d\d\b")
DECISION = re.compile(r"\bdecisions, (?:\"([^\"]+)\"|(\w+))")
SPECIFICATION = re.compile(r"\bspecification ([A-Z])(?:, (\"[^\"]+\"))?")
SETTING = re.compile(r"\"([A-Z][A-Z_]{3,})\"")
ROUTE = re.compile(r"^\| `([A-Z]+) (/\S+)` \|", re.MULTILINE)
ADDRESS = re.compile(r"(?<=[`\s\dT])(/(?:api|ws|admin|metrics|healthz|readyz|sign-in)\b[\w/{}.$-]*)")
FRAME = re.compile(r"\btype=\"(\w+)\"|\bplain\(\s*\"(\w+)\"|\{\"type\": \"(\w+)\"")
CITING = (".py", ".js", ".html", ".css")
HERE = Path(__file__)


def page(name: str) -> str:
    return (ROOT / name).read_text()


def section(text: str, title: str) -> str:
    """What stands under a heading of the second level."""
    return text.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


@cache
def defined(file: Path) -> frozenset[str]:
    """Functions, classes, methods and constants of a module."""
    return frozenset(_names(ast.parse(file.read_text()).body, ""))


def _names(body: list[ast.stmt], prefix: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield prefix + node.name
        if isinstance(node, ast.ClassDef):
            yield from _names(node.body, f"{node.name}.")
        if isinstance(node, ast.Assign):
            yield from (prefix + target.id for target in node.targets if isinstance(target, ast.Name))


def missing(text: str) -> set[str]:
    """Those files and functions that a page names and the checkout has not."""
    found = set()
    for path, name in NAMED.findall(text):
        file = ROOT / path
        if not file.exists() or (name and name not in defined(file)):
            found.add(f"{path}:{name}" if name else path)
    return found


@cache
def cited() -> str:
    """All code and all tests but this one, as one text."""
    rooms = [ROOT / name for name in ("collab", "messaging", "channels_app", "tests")]
    files = [file for room in rooms for file in sorted(room.rglob("*")) if file.suffix in CITING and file != HERE]
    return "\n".join(file.read_text() for file in files)


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)
def test_each_file_and_function_that_a_page_names_exists(file: Path):
    assert missing(file.read_text()) == set()


def test_the_check_can_see():
    text = (
        "`tests/test_docs.py:missing`, `tests/test_docs.py:absent`, `messaging/absent/`, `collab/live/hub.py:Hub.poked`"
    )
    assert missing(text) == {"tests/test_docs.py:absent", "messaging/absent/"}


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)
def test_each_link_leads_somewhere(file: Path):
    assert [link for link in LINK.findall(file.read_text()) if not (file.parent / link).exists()] == []


def test_each_page_is_linked_from_the_first_one():
    linked = {(ROOT / link).resolve() for link in LINK.findall(page("README.md"))}
    assert set(PAGES) - linked == {ROOT / "README.md"}


def test_the_main_jobs_way_is_told_by_functions():
    way = NAMED.findall(section(page("docs/architecture.md"), "The way of the main job"))
    assert len([name for _, name in way if name]) > 20


def test_each_room_is_on_the_map():
    told = set(re.findall(r"^\| `([\w/]+/)` \|", section(page("docs/architecture.md"), "Rooms"), re.MULTILINE))
    modules = [file for top in ("messaging", "collab", "channels_app") for file in (ROOT / top).rglob("__init__.py")]
    assert {f"{file.parent.relative_to(ROOT)}/" for file in modules if file.parent.name != "migrations"} == told


def test_each_library_is_in_the_table():
    project = tomllib.loads(page("pyproject.toml"))
    wanted = [
        *project["project"]["dependencies"],
        *(one for group in project["dependency-groups"].values() for one in group),
    ]
    names = {re.split(r"[\[<>=]", one)[0] for one in wanted}
    table = set(re.findall(r"`([\w-]+)`", section(page("docs/architecture.md"), "Libraries, and why these")))
    assert names - table == set()


def test_the_first_page_has_every_setting_and_every_process():
    source = page("collab/environment.py").replace("LOOPBACK", "")
    told = set(re.findall(r"`([A-Z][A-Z_]{3,})`", section(page("README.md"), "Settings")))
    assert set(SETTING.findall(source)) - {"EARSHOT_AGENTS_ALONE", "ENGINE", "NAME", "USER"} <= told
    assert all(f"`earshot {role}`" in page("README.md") for role in ROLES)


def test_each_promise_that_code_refers_to_is_on_its_page():
    promises = [int(number) for number in re.findall(r"^\*\*(\d+)\. ", page("docs/promises.md"), re.MULTILINE)]
    assert promises == list(range(1, 32))
    found = {int(number) for number in PROMISE.findall(cited())}
    assert found
    assert found <= set(promises)


def test_each_promise_says_what_holds_it_or_that_nothing_does():
    told = re.split(r"^\*\*\d+\. ", page("docs/promises.md"), flags=re.MULTILINE)[1:]
    assert [one for one in told if not re.search(r"\*Held by\*|\*Not built yet\*|\*Not built yet\.\*", one)] == []


def test_each_fault_has_a_test_that_names_it_and_its_line_on_the_page():
    told = set(re.findall(r"^\| (F\d\d) \|", page("docs/known-faults.md"), re.MULTILINE))
    assert set(FAULT.findall(cited())) == told


def test_each_decision_that_code_refers_to_is_on_its_page():
    text = page("docs/decisions.md")
    headings = {heading.casefold() for heading in re.findall(r"^## (.+)$", text, re.MULTILINE)}
    assert {(quoted or word).casefold() for quoted, word in DECISION.findall(cited())} <= headings
    told = section(text, "What comments mean by a specification")
    wanted = {
        f"**{letter}, {title}**" if title else f"**{letter}**" for letter, title in SPECIFICATION.findall(cited())
    }
    assert {one for one in wanted if one not in told} == set()


def routed(address: str) -> bool:
    """Whether a route answers there, page or socket; names in braces and of the shell stand for anything."""
    path = re.sub(r"\{\w+\}|\$\w+", "x", address)
    try:
        return bool(
            resolve(path) if not path.startswith("/ws/") else websocket_urlpatterns[0].resolve(path.removeprefix("/"))
        )
    except Resolver404:
        return False


def first_cells(text: str) -> set[str]:
    """What stands first in each row of a section's table, its head left out."""
    rows = re.findall(r"^\| `?([^`|]+?)`? \|", text, re.MULTILINE)
    return set(rows[2:])


def test_the_page_on_the_api_has_every_route_and_no_other():
    paths = api.get_openapi_schema()["paths"]
    there = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert set(ROUTE.findall(section(page("docs/api.md"), "The routes"))) == there


@pytest.mark.parametrize("file", [page for page in PAGES if page.name in ("api.md", "README.md", "operate.md")])
def test_each_address_on_a_page_leads_to_a_route(file: Path):
    found = ADDRESS.findall(file.read_text())
    assert found
    assert [one for one in found if not routed(one)] == []


def test_the_check_of_addresses_can_see():
    assert not routed("/api/v1/sessions/{session}/absent")
    assert not routed("/ws/session/{id}")
    assert routed("/ws/sessions/{id}")


def part(title: str) -> str:
    """What stands under a heading of the third level on the page about the API."""
    return page("docs/api.md").split(f"\n### {title}\n", 1)[1].split("\n##", 1)[0]


def test_each_frame_on_the_page_is_sent_and_each_sent_is_on_the_page():
    files = [ROOT / "collab/api/frames.py", *sorted((ROOT / "collab/live").glob("*.py"))]
    sent = {word for file in files for words in FRAME.findall(file.read_text()) for word in words if word}
    assert first_cells(part("What the server sends")) == sent
    assert len(sent) == 11


def test_each_frame_that_a_client_may_send_is_on_the_page():
    taken = set(re.findall(r'case "(\w+)":', page("collab/live/inbound.py")))
    assert taken == {"post", "stop"}
    assert taken == set(re.findall(r'^    \{"type": "(\w+)"', part("What the client sends"), re.MULTILINE))


def test_each_code_of_an_end_on_the_page_is_one_and_each_is_on_the_page():
    codes = {consumer.NO_LOGIN, consumer.ACCESS_GONE, consumer.ABSENT, consumer.TOO_FAST, consumer.BEHIND}
    assert first_cells(part("Why it closes")) == {str(code) for code in codes | {consumer.BROKEN}}


def test_each_code_of_an_error_on_the_page_is_one():
    rows = re.findall(r"^\| \d{3} \| (.+?) \|", section(page("docs/api.md"), "Errors"), re.MULTILINE)
    told = {code for row in rows for code in re.findall(r"`(\w+)`", row)}
    assert len(told) > 15
    code = "".join(file.read_text() for top in ("collab", "messaging") for file in (ROOT / top).rglob("*.py"))
    assert [word for word in sorted(told) if f'"{word}"' not in code] == []


def test_each_shape_on_the_page_has_its_fields():
    shapes = {
        "a message": set(gives.PostedOut.model_fields) | {"kind", "name"},
        "a delivery": set(gives.DeliveryOut.model_fields),
        "a turn": set(gives.TurnOut.model_fields),
        "an attempt": set(gives.AttemptOut.model_fields),
        "a member": set(gives.MemberOut.model_fields),
        "an ask": set(gives.AskOut.model_fields),
        "a piece": set(PieceView.__slots__),
        "a mail": set(gives.MailOut.model_fields) | {"kind", "name"},
    }
    rows = re.findall(r"^\| (an? \w+) \| (.+) \|$", section(page("docs/api.md"), "Shapes"), re.MULTILINE)
    assert {what: set(re.findall(r"`(\w+)`", fields)) for what, fields in rows} == shapes
