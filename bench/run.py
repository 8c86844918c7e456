#!/usr/bin/env python3
"""`make bench`: Earshot beside the limit of its own stack, each goal judged, the table written into docs/bench.md.

    run.py [--quick] [--repeat N] [--seconds S] [--no-docs] [--only NAME ...]

Takes about half an hour on two cores. `--quick` is a smoke run of two minutes
that writes no page. Times are compared as shares of the rates taken in the same
run; none is ever asserted by a test.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PAGE = ROOT / "docs" / "bench.md"
BEGIN, END = "<!-- begin: written by make bench -->", "<!-- end -->"

#: name -> (target, scenarios, sizes of a room's history)
RUNS = {
    "limit-raw": ("limit:store=batch,fanout=redis,http=raw", "a,b", ""),
    "limit-lean": ("limit:store=batch,fanout=redis,http=lean", "a,b", ""),
    "fleet": ("earshot:web=1", "a,b,c", "0,10000,100000"),
    "fleet-2web": ("earshot:web=2", "a,b,c", ""),
    "fleet-inbox": ("earshot:audience=agent:scout", "a,b", ""),
    "embedded": ("earshot:mode=embedded", "a,b,c", "0,10000,100000"),
}


def parse() -> argparse.Namespace:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--quick", action="store_true")
    words.add_argument("--repeat", type=int, default=3)
    words.add_argument("--seconds", type=float, default=6)
    words.add_argument("--no-docs", action="store_true")
    words.add_argument("--only", nargs="+", choices=list(RUNS), default=list(RUNS))
    words.add_argument("--home", type=Path, default=Path(tempfile.gettempdir()) / "earshot-bench")
    return words.parse_args()


def measure(name: str, args: argparse.Namespace) -> dict:
    """One target in a process of its own; its result as the harness wrote it."""
    target, scenarios, history = RUNS[name]
    out = ROOT / "test-results" / "bench" / f"{name}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    words = ["--targets", f"{name}={target}", "--home", args.home / name, "--out", out]
    if args.quick:
        words += ["--scenarios", "tiny", "--repeat", 1, "--seconds", 2]
    else:
        words += ["--scenarios", scenarios, "--repeat", args.repeat, "--seconds", args.seconds]
        words += ["--history", history] if history else []
    subprocess.run([sys.executable, HERE / "bench.py", *map(str, words)], check=True)
    return json.loads(out.read_text())


def median(data: dict, target: str, scenario: str, *path: str) -> float | None:
    from bench import med

    return med(data.get(target, {}).get("scenarios", {}).get(scenario, []), *path)


def ratio(one: float | None, other: float | None) -> float | None:
    return None if one is None or not other else round(one / other, 3)


def history(data: dict, target: str, what: str) -> float | None:
    """The cost at the largest size, as a multiple of that at the smallest."""
    sizes = data.get(target, {}).get("history", {})
    if len(sizes) < 2:
        return None
    ordered = sorted(sizes, key=int)
    return ratio(sizes[ordered[-1]][what]["p50"], sizes[ordered[0]][what]["p50"])


def faults(data: dict, target: str) -> int | None:
    """Messages lost, doubled, out of order or backward, receivers that disagree, posts refused."""
    rows = [row for rows in data.get(target, {}).get("scenarios", {}).values() for row in rows]
    if not rows:
        return None
    kinds = ("lost", "duplicated", "out_of_order", "receivers_that_disagree", "errors", "unknown", "seq_backward")
    return sum(row[kind] or 0 for row in rows for kind in kinds)


def goals(data: dict) -> list[tuple[str, float | None, str, float]]:
    """What is wanted: words, what was measured, which way, the goal."""
    a, b = median(data, "fleet", "a", "ratio_pg8"), median(data, "fleet", "b", "ratio_pg8")
    best_b = max((x for x in (b, median(data, "fleet-2web", "b", "ratio_pg8")) if x is not None), default=None)
    wanted = [
        ("a: accepted, share of pg8", a, ">=", 0.20),
        ("b: accepted, share of pg8 (the better of one and two web processes)", best_b, ">=", 0.35),
        ("a: delivered p99, ms", median(data, "fleet", "a", "deliver_ms", "p99"), "<=", 36),
        ("a: CPU seconds per 1,000", median(data, "fleet", "a", "server_cpu_s_per_1000"), "<=", 1.5),
        ("c: delivered p99, ms", median(data, "fleet", "c", "deliver_ms", "p99"), "<=", 34),
        ("a room of 100,000: a post, times an empty one's", history(data, "fleet", "post_ms"), "<=", 1.2),
        ("a room of 100,000: a page, times an empty one's", history(data, "fleet", "page_ms"), "<=", 1.5),
        ("b on SQLite, share of PostgreSQL's", ratio(median(data, "embedded", "b", "ratio_pg8"), b), ">=", 0.7),
        (
            "a to an agent's inbox, share of people-only",
            ratio(median(data, "fleet-inbox", "a", "ratio_pg8"), a),
            ">=",
            0.7,
        ),
        (
            "b to an agent's inbox, share of people-only",
            ratio(median(data, "fleet-inbox", "b", "ratio_pg8"), b),
            ">=",
            0.7,
        ),
    ]
    return wanted + [
        (f"{name}: faults of any kind", faults(data, name), "<=", 0) for name in RUNS if "limit" not in name
    ]


def judged(data: dict) -> str:
    lines = ["| goal | wanted | measured | |", "|---|---|---|---|"]
    for words, value, way, goal in goals(data):
        met = (
            "not run" if value is None else "met" if (value >= goal if way == ">=" else value <= goal) else "**missed**"
        )
        lines.append(f"| {words} | {way} {goal:g} | {'' if value is None else f'{value:g}'} | {met} |")
    return "\n".join(lines)


def write(text: str) -> None:
    page = PAGE.read_text()
    before, rest = page.split(BEGIN, 1)
    _, after = rest.split(END, 1)
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


def main() -> int:
    args = parse()
    merged: dict = {"targets": {}}
    for number, name in enumerate(args.only, 1):
        print(f"\n[{number}/{len(args.only)}] {name}", flush=True)
        result = measure(name, args)
        merged["targets"] |= result["targets"]
        merged |= {key: value for key, value in result.items() if key != "targets"}
    sys.path.insert(0, str(HERE))
    from bench import table

    machine = merged["machine"]
    said = (
        f"Measured {merged['when'][:10]} on {machine['cpus']} cores ({machine['arch']}), Python {machine['python']}; "
        f"medians of {args.repeat}, {args.seconds:g} s each, the driver on the same cores.\n\n"
        f"{judged(merged['targets'])}\n\n{table(merged)}"
    )
    print(f"\n{said}")
    if not (args.quick or args.no_docs or set(args.only) != set(RUNS)):
        write(said)
        print(f"\nwritten into {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main())
