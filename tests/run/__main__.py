"""Run the chosen stages, every one to its end, and close with what came of each."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator

from tests.run import needs, stages
from tests.run.beside import SUMMARY, Beside, End
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


def run_all(wanted: list[Stage], servers: Servers) -> Iterator[End]:
    """Run them in their order, and those that may beside the one that they name, if that is wanted, too."""
    names = {stage.name for stage in wanted}
    for stage in wanted:
        if stage.beside in names:
            continue
        with Beside([one for one in wanted if one.beside == stage.name]) as beside:
            yield stage, *run(stage, servers)
        yield from beside.ends


def main() -> int:
    """Run what the command line names."""
    # What runs in the background is born deaf to it; who interrupts one stage must reach those beside it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    wanted = chosen(sys.argv[1:])
    try:
        needs.provide({need.name: need for stage in wanted for need in stage.needs}.values())
    except needs.Missing as missing:
        sys.exit(str(missing))
    servers, began = Servers(), time.monotonic()
    try:
        ends = list(run_all(wanted, servers))
    finally:
        servers.stop()
    print(SUMMARY)
    for stage, end, seconds in ends:
        beside = f" (beside {stage.beside})" if stage.beside in {one.name for one in wanted} else ""
        print(f"  {end}  {seconds:6.1f} s  {stage.name}: {stage.words}{beside}")
    failed = sum(end == "failed" for _, end, _ in ends)
    print(f"  {time.monotonic() - began:.0f} s in all")
    print(f"stages: {len(ends) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
