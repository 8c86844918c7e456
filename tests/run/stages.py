"""The stages: what each needs, and the commands that it consists of."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.run import needs
from tests.run.servers import Servers

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
# A command that hangs must not hold the run for ever; none takes a third of this, but the long ones of `soak`.
LONGEST, LONGEST_SOAK = 600, 5400
UNIT = "not fleet and not browser and not processes and not journey and not chaos and not deploy"

# What pytest calls those that run beside each other, and how they share: a file's tests have their start in common.
LANES = ("gw0", "gw1")
BY_FILE = ("--dist", "loadfile", "--no-loadscope-reorder")


class Failed(Exception):
    """A command of a stage did not succeed."""


@dataclass(frozen=True)
class Stage:
    """A part of the run that succeeds or fails as a whole.

    beside: the stage that leaves room for it, since it waits more than it computes.
    """

    name: str
    words: str
    run: Callable[[Servers], None]
    needs: Sequence[needs.Need] = field(default=())
    beside: str = ""


def call(*words: str | Path, **environ: str) -> None:
    """Run a command of a stage in the checkout; whatever it leaves running ends with it."""
    bounded(words, environ, LONGEST)


def bounded(words: Sequence[str | Path], environ: Mapping[str, str], longest: int) -> None:
    """Run it for so many seconds at most."""
    print("$", " ".join(map(str, words)), flush=True)
    everything = os.environ | dict(environ)
    # What one process has compiled, tests as they are rewritten among it, the many after it read.
    everything.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [str(word) for word in words]
    done = subprocess.Popen(command, cwd=ROOT, env=everything, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        answer = done.wait(longest)
    except subprocess.TimeoutExpired:
        raise Failed(f"{Path(command[0]).name} did not end within {longest} s") from None
    finally:
        _end_group(done)
    if answer:
        raise Failed(f"{Path(command[0]).name} answered {answer}")


def _end_group(done: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(done.pid, signal.SIGKILL)
    done.wait()


def attempt(*words: str | Path) -> str | None:
    """Run a command and return why it failed, if it did."""
    try:
        call(*words)
    except Failed as failure:
        return str(failure)
    return None


def pytest(name: str, *words: str, **environ: str) -> None:
    """Run tests and leave a record of them."""
    call(*_pytest(name, *words), **environ)


def _pytest(name: str, *words: str) -> Sequence[str | Path]:
    return BIN / "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml=test-results/{name}.xml", *words


def _static(_: Servers) -> None:
    # All of them, so that one look shows everything there is to mend.
    words = (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("lint-imports",), ("mypy",))
    failures = [failure for name, *rest in words if (failure := attempt(BIN / name, *rest))]
    if failures:
        raise Failed("; ".join(failures))


def _javascript(_: Servers) -> None:
    call("npm", "ci", "--no-progress", "--loglevel", "error")
    call("npm", "run", "--silent", "types")
    tests = sorted((ROOT / "tests").rglob("*.test.js"))
    if not tests:
        raise Failed("no tests of scripts")
    call("node", "--test", *tests)


def _fast(_: Servers) -> None:
    pytest("fast", "-n", "2", "tests/domain", *map(str, sorted((ROOT / "tests").glob("test_*.py"))))


def _sqlite(_: Servers) -> None:
    pytest("sqlite", "-n", "2", "-m", UNIT, TEST_DATABASE="sqlite")


def _postgresql(servers: Servers) -> None:
    # Who asks for no database would do the very same as on SQLite.
    pytest("postgresql", "-n", "2", "--of-database", "-m", UNIT, **servers.test_database)


def _processes(_: Servers) -> None:
    words = ("-n", str(len(LANES)), *BY_FILE, "-m", "(processes or journey) and not fleet and not browser")
    pytest("processes", *words, TEST_DATABASE="sqlite")


def _browser(_: Servers) -> None:
    # The whole of tests/browser runs against the fleet; here is shown that one process serves a browser as well.
    pytest("browser", "-m", "browser", "tests/browser/test_main_job.py", TEST_DATABASE="sqlite")


def _fleet(servers: Servers) -> None:
    # Mostly they wait, for processes to come up; more lanes than cores, and what must come within a time comes too late.
    # A lane has servers of its own: in its Redis nobody else's processes count. The files come in their order, for the
    # longest stand in front.
    lanes = {name: value for lane in LANES for name, value in servers.fleet(lane).items()}
    words = ("-n", str(len(LANES)), *BY_FILE, "-m", "fleet or browser or journey")
    pytest("fleet", *words, **servers.test_database, **lanes)


def _chaos(_: Servers) -> None:
    pytest("chaos", "-m", "chaos", "tests/chaos")


def _soak(_: Servers) -> None:
    sizes = {"CHAOS_POSTS": "2000", "CHAOS_KILLS": "60", "CHAOS_GONE": "30"}
    bounded(_pytest("soak", "-m", "chaos", "tests/chaos"), sizes, LONGEST_SOAK)
    longer = {"CHAOS_POSTS": "4000", "CHAOS_KILLS": "200"}
    bounded(_pytest("soak-200", "-m", "chaos", "tests/chaos/test_killed_at_random.py"), longer, LONGEST_SOAK)


def _deploy(_: Servers) -> None:
    pytest("deploy", "-m", "deploy", "tests/deploy", TEST_DATABASE="sqlite")


def _wheel(_: Servers) -> None:
    call(sys.executable, "-m", "tests.run.wheel")


def _newest(_: Servers) -> None:
    call(sys.executable, "-m", "tests.run.newest")


BROWSER = (needs.SHELL, needs.CHROMIUM)
STATIC = Stage("static", "style, types, layers", _static)
JAVASCRIPT = Stage("javascript", "types and tests of scripts", _javascript, (needs.NODE, needs.NPM), "static")
FAST = Stage("fast", "the rules and the settings", _fast)
ALL = (
    STATIC,
    JAVASCRIPT,
    Stage("sqlite", "everything in one process on SQLite", _sqlite),
    Stage("postgresql", "the same on PostgreSQL", _postgresql, (needs.POSTGRESQL,)),
    Stage("processes", "processes started, stopped and killed", _processes),
    Stage("browser", "the main job in a real browser, one process, SQLite", _browser, BROWSER, "processes"),
    Stage(
        "fleet",
        "a fleet and a browser on PostgreSQL and Redis",
        _fleet,
        (needs.POSTGRESQL, needs.REDIS, *BROWSER),
    ),
    Stage("chaos", "everything killed at random, and what came of it", _chaos, (needs.POSTGRESQL, needs.REDIS)),
    Stage(
        "deploy",
        "a fleet from the files in deploy/; backup and restore",
        _deploy,
        (needs.POSTGRESQL, needs.REDIS, needs.NGINX, needs.SQLITE, needs.SYSTEMD, needs.OPENSSL),
        "fleet",
    ),
    Stage("wheel", "built, installed elsewhere, started", _wheel, beside="fleet"),
    Stage("newest", "a start on the newest Python", _newest, beside="fleet"),
)
CHECK = (STATIC, FAST)
SOAK = (Stage("soak", "the same for long: 60 kills, then 200", _soak, (needs.POSTGRESQL, needs.REDIS)),)
