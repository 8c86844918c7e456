"""Run the chosen stages, every one to its end, and close with what came of each."""

from __future__ import annotations

import sys
import time

from tests.run import needs, stages
from tests.run.servers import Servers
from tests.run.stages import Stage


def chosen(names: list[str]) -> list[Stage]:
    """Return the stages of those names; a name may also be `all`, `check` or `soak`."""
    groups = {"all": stages.ALL, "check": stages.CHECK, "soak": stages.SOAK} | {
        stage.name: (stage,) for stage in stages.ALL
    }
    unknown = [name for name in names if name not in groups]
    if unknown or not names:
        sys.exit(f"usage: python -m tests.run {'|'.join(groups)} ...")
    return [stage for name in names for stage in groups[name]]


def run(stage: Stage, servers: Servers) -> tuple[str, float]:
    """Run one stage; return how it ended and how long it took."""
    print(f"\n=== {stage.name}: {stage.words}", flush=True)
    began = time.monotonic()
    try:
        stage.run(servers)
    except (stages.Failed, OSError, RuntimeError) as failure:
        print(f"=== {stage.name} failed: {failure}", flush=True)
        return "failed", time.monotonic() - began
    return "passed", time.monotonic() - began


def main() -> int:
    """Run what the command line names."""
    wanted = chosen(sys.argv[1:])
    try:
        needs.provide({need.name: need for stage in wanted for need in stage.needs}.values())
    except needs.Missing as missing:
        sys.exit(str(missing))
    servers = Servers()
    try:
        ends = [(stage, *run(stage, servers)) for stage in wanted]
    finally:
        servers.stop()
    print("\n=== summary")
    for stage, end, seconds in ends:
        print(f"  {end}  {seconds:6.1f} s  {stage.name}: {stage.words}")
    failed = sum(end == "failed" for _, end, _ in ends)
    print(f"  {sum(seconds for *_, seconds in ends):.0f} s in all")
    print(f"stages: {len(ends) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
