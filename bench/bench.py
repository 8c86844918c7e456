#!/usr/bin/env python3
"""One driver for every server.  See README.md.

bench.py --targets NAME[:key=value,...] ... [--scenarios a,b,c]
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import gc
import importlib
import json
import os
import platform
import statistics
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import reference
import servers

clock = time.perf_counter


@dataclasses.dataclass
class Scenario:
    name: str
    rooms: int
    senders: int  # per room
    receivers: int  # per room
    rate: float = 0  # messages/s for each sender; 0: closed loop
    size: int = 200  # bytes of text


SCENARIOS = {
    s.name: s
    for s in (
        Scenario("a", rooms=1, senders=10, receivers=10),
        Scenario("b", rooms=50, senders=2, receivers=4),
        Scenario("c", rooms=1, senders=1, receivers=200, rate=20),
        # what one room can push to many: closed loop
        Scenario("d", rooms=1, senders=1, receivers=200),
        # posts only: the accept path without receivers
        Scenario("p", rooms=10, senders=1, receivers=0),
        # small one for a smoke run
        Scenario("tiny", rooms=2, senders=2, receivers=2),
    )
}

MARK = b"BM|"


def pct(values, q):
    if not values:
        return None
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))]


def ms(values):
    return {
        k: None if (v := pct(values, q)) is None else round(v * 1e3, 2)
        for k, q in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
    }


class Seen:
    """What one receiver saw in one room."""

    __slots__ = ("order", "pattern", "run", "seqs", "when")

    def __init__(self, run: bytes, pattern=None):
        self.order, self.when, self.run = [], [], run
        self.seqs, self.pattern = [], pattern

    def __call__(self, text):
        now = clock()
        if isinstance(text, str):
            text = text.encode()
        pos = text.find(MARK)
        if pos < 0:
            return
        parts = text[pos + 3 : pos + 40].split(b"|", 3)
        if parts[0] != self.run:
            return
        self.order.append((int(parts[1]), int(parts[2])))
        self.when.append(now)
        if self.pattern:
            found = self.pattern.search(text)
            if found:
                self.seqs.append(int(found.group(1)))


class Shot:
    """One repeat of one scenario on one server."""

    def __init__(self, adapter, sc: Scenario, args, run: str):
        self.a, self.sc, self.args, self.run = adapter, sc, args, run
        self.sent: dict[tuple[int, int], float] = {}  # -> due time
        self.acc: dict[tuple[int, int], float] = {}  # -> accept time
        self.errors: list[str] = []
        self.room_of: list[int] = []

    async def _sender(self, idx, sender, stop_at):
        sc, seq = self.sc, 0
        pad = "x" * sc.size
        due = clock()
        while True:
            now = clock()
            if sc.rate:
                if due >= stop_at:
                    return
                if due > now:
                    await asyncio.sleep(due - now)
                start = due
                due += 1 / sc.rate
                if clock() > stop_at + self.args.drain:
                    return
            else:
                if now >= stop_at:
                    return
                start = now
            text = f"BM|{self.run}|{idx}|{seq}|{pad}"[: max(sc.size, 32)]
            self.sent[idx, seq] = start
            try:
                await asyncio.wait_for(sender.send(text), 30)
            except Exception as e:  # refused or broken: counted, not retried
                self.errors.append(f"{type(e).__name__}: {e}"[:200])
                if len(self.errors) > 200:
                    return
            else:
                self.acc[idx, seq] = clock()
            seq += 1

    async def go(self, users):
        a, sc, args = self.a, self.sc, self.args
        need = sc.senders + sc.receivers
        seen: list[list[Seen]] = []
        senders, receivers = [], []
        t0 = clock()
        for r in range(sc.rooms):
            team = users[r * need : (r + 1) * need]
            room = await a.room(f"{self.run}-{r}", team)
            row = []
            for u in team[sc.senders :]:
                s = Seen(self.run.encode(), a.seq_pattern)
                receivers.append(await a.receiver(u, room, s))
                row.append(s)
            seen.append(row)
            for u in team[: sc.senders]:
                senders.append(await a.sender(u, room))
                self.room_of.append(r)
        setup = clock() - t0
        await asyncio.sleep(0.5)
        gc.collect()
        gc.freeze()
        pids = a.pids()
        mem0 = servers.memory_mb(pids)
        print(
            f"   {sc.name}: {len(receivers)} receivers ready after {setup:.0f} s, {len(senders)} senders begin",
            flush=True,
        )
        begin = clock()
        warm_end = begin + args.warmup
        stop_at = warm_end + args.seconds
        tasks = [asyncio.create_task(self._sender(i, s, stop_at)) for i, s in enumerate(senders)]
        await asyncio.sleep(args.warmup)
        cpu0, me0, st0 = (servers.cpu_seconds(pids), time.process_time(), servers.steal_seconds())
        w0, n0 = clock(), len(self.acc)
        await asyncio.sleep(max(0, stop_at - clock()))
        cpu1, me1, st1 = (servers.cpu_seconds(pids), time.process_time(), servers.steal_seconds())
        w1, n1 = clock(), len(self.acc)
        await asyncio.gather(*tasks)
        # drain: until all is seen, or nothing came for a while
        want = [sum(1 for k in self.acc if self.room_of[k[0]] == r) for r in range(sc.rooms)]
        last, still = -1, clock()
        end = clock() + args.drain
        while clock() < end:
            got = sum(len(s.order) for row in seen for s in row)
            if all(len(s.order) >= w for w, row in zip(want, seen) for s in row):
                break
            if got != last:
                last, still = got, clock()
            elif clock() - still > 5:
                break
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.2)
        drain = clock() - w1
        mem1 = servers.memory_mb(pids)
        for s in senders:
            await s.close()
        for r in receivers:
            await r.close()
        gc.unfreeze()

        # ---- judge
        lost = dup = ooo = disagree = extra = backward = 0
        deliv = []
        deliveries = 0
        for r, row in enumerate(seen):
            expect = {k for k in self.acc if self.room_of[k[0]] == r}
            base = None
            for s in row:
                first, top = {}, {}
                for key, when in zip(s.order, s.when):
                    if key in first:
                        dup += 1
                        continue
                    first[key] = when
                    if key[1] < top.get(key[0], -1):
                        ooo += 1
                    else:
                        top[key[0]] = key[1]
                lost += len(expect - first.keys())
                extra += len(first.keys() - self.sent.keys())
                backward += sum(y <= x for x, y in zip(s.seqs, s.seqs[1:]))
                order = tuple(k for k in first)
                if base is None:
                    base = order
                elif order != base:
                    disagree += 1
                for key, when in first.items():
                    start = self.sent.get(key)
                    if start is not None and warm_end <= start <= stop_at:
                        deliv.append(when - start)
                    if w0 <= when <= w1:
                        deliveries += 1
        accept = [t - self.sent[k] for k, t in self.acc.items() if warm_end <= self.sent[k] <= stop_at]
        n, wall = n1 - n0, w1 - w0
        per_k = 1000 / n if n else 0
        return {
            "accepted_per_s": round(n / wall, 1),
            "delivered_per_s": round(deliveries / wall, 1),
            "accepted": n,
            "accepted_in_all": len(self.acc),
            "accept_ms": ms(accept),
            "deliver_ms": ms(deliv),
            "errors": len(self.errors),
            "error": self.errors[:1],
            "lost": lost,
            "duplicated": dup,
            "out_of_order": ooo,
            "receivers_that_disagree": disagree,
            "unknown": extra,
            "seq_backward": backward if a.seq_pattern else None,
            "server_cpu_s_per_1000": round((cpu1 - cpu0) * per_k, 3),
            "server_cpu_share": round((cpu1 - cpu0) / wall, 2),
            "driver_cpu_share": round((me1 - me0) / wall, 2),
            "steal_share": round((st1 - st0) / wall, 3),
            "memory_mb": round(mem1, 1),
            "memory_growth_mb_per_1000": round((mem1 - mem0) * 1000 / max(1, len(self.acc)), 3),
            "setup_s": round(setup, 1),
            "drain_s": round(drain, 1),
        }


async def history(a, args, tag):
    """Cost of one post, its delivery and the last page as a room grows."""
    users = await a.users(12)
    room = await a.room(f"history-{tag}", users[:12])
    seen = Seen(b"hist")
    rec = await a.receiver(users[1], room, seen)
    send = await a.sender(users[0], room)
    fill = [await a.sender(u, room) for u in users[2:12]]
    pad, out, total, seq = "x" * 160, {}, 0, 0
    for size in args.history:
        todo, t0, short = size - total, clock(), False
        if todo > 0 and await a.seed(room, users[0], todo):
            total = size
        elif todo > 0:
            left = iter(range(todo))

            async def work(s):
                nonlocal total, short
                for i in left:
                    await s.send(f"fill {i} {pad}")
                    total += 1
                    if clock() - t0 > args.fill_limit:
                        short = True
                        return

            await asyncio.gather(*(work(s) for s in fill))
        size = total
        fill_s = clock() - t0
        await asyncio.sleep(1)
        posts, reads, t_sent = [], [], {}
        base = len(seen.order)
        cpu0 = servers.cpu_seconds(a.pids())
        for _ in range(args.probes):
            t = clock()
            t_sent[0, seq] = t
            await send.send(f"BM|hist|0|{seq}|{pad}")
            posts.append(clock() - t)
            seq += 1
        cpu1 = servers.cpu_seconds(a.pids())
        got = 0
        for _ in range(30):
            t = clock()
            got = await a.last_page(users[1], room, 50)
            reads.append(clock() - t)
        await asyncio.sleep(0.5)
        deliv = [w - t_sent[k] for k, w in list(zip(seen.order, seen.when))[base:] if k in t_sent]
        out[str(size)] = {
            "post_ms": ms(posts),
            "deliver_ms": ms(deliv),
            "page_ms": ms(reads),
            "page_rows": got,
            "post_cpu_ms": round((cpu1 - cpu0) * 1e3 / args.probes, 2),
            "memory_mb": round(servers.memory_mb(a.pids()), 1),
            "fill_s": round(fill_s, 1),
        }
        total += args.probes
        if short:  # slower than the limit: measured at the size reached
            break
    await send.close()
    for s in fill:
        await s.close()
    await rec.close()
    return out


def med(rows, *path):
    vals = []
    for r in rows:
        for p in path:
            r = r.get(p) if isinstance(r, dict) else None
        if r is not None:
            vals.append(r)
    return round(statistics.median(vals), 3) if vals else None


def table(result) -> str:
    lines = [
        "| target | sc | msg/s | x pg8 | accept p50/p95/p99 ms | "
        "deliver p50/p95/p99 ms | lost/dup/ooo/disagree[/seq back] | "
        "CPU s per 1000 | MB | driver CPU |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]

    def three(rows, k):
        return "/".join(str(med(rows, k, p)) for p in ("p50", "p95", "p99"))

    for t, data in result["targets"].items():
        for sc, rows in data.get("scenarios", {}).items():
            if not rows:
                continue
            bad = "/".join(
                str(sum(r[k] for r in rows)) for k in ("lost", "duplicated", "out_of_order", "receivers_that_disagree")
            )
            if rows[0].get("seq_backward") is not None:
                bad += f"/{sum(r['seq_backward'] for r in rows)}"
            err = sum(r["errors"] for r in rows)
            lines.append(
                f"| {t} | {sc} | {med(rows, 'accepted_per_s')} | "
                f"{med(rows, 'ratio_pg8')} | {three(rows, 'accept_ms')} | "
                f"{three(rows, 'deliver_ms')} | {bad}"
                f"{f' ({err} errors)' if err else ''} | "
                f"{med(rows, 'server_cpu_s_per_1000')} | {med(rows, 'memory_mb')} | "
                f"{med(rows, 'driver_cpu_share')} |"
            )
    hist = [(t, d["history"]) for t, d in result["targets"].items() if d.get("history")]
    if hist:
        lines += [
            "",
            "| target | room holds | post p50/p99 ms | deliver p50 ms | last page p50/p99 ms | CPU ms per post |",
            "|---|---|---|---|---|---|",
        ]
        for t, h in hist:
            for size, v in h.items():
                lines.append(
                    f"| {t} | {size} | {v['post_ms']['p50']}/{v['post_ms']['p99']} | "
                    f"{v['deliver_ms']['p50']} | {v['page_ms']['p50']}/"
                    f"{v['page_ms']['p99']} ({v['page_rows']} rows) | "
                    f"{v['post_cpu_ms']} |"
                )
    return "\n".join(lines)


def parse_target(text):
    """NAME=MODULE:key=value,key=value  (NAME= and the options are optional)"""
    head, _, rest = text.partition(":")
    name, eq, module = head.partition("=")
    opts = dict(kv.split("=", 1) for kv in rest.split(",") if kv)
    return name if eq else text, module if eq else name, opts


async def one_target(spec, env, args, result, pgb):
    name, module, opts = parse_target(spec)
    cls = importlib.import_module(f"adapters.{module}").Adapter
    a = cls(env, opts)
    data = result["targets"].setdefault(name, {"spec": spec, "accept": a.accept, "durable": a.durable, "scenarios": {}})
    print(f"== {name}: starting", flush=True)
    t0 = clock()
    try:
        await a.start()
        data["start_s"] = round(clock() - t0, 1)
        data["memory_idle_mb"] = round(servers.memory_mb(a.pids()), 1)
        picks = [SCENARIOS[s] for s in args.scenarios]
        for sc in picks:
            t0 = clock()
            users = await a.users(sc.rooms * (sc.senders + sc.receivers))
            data["users_s"] = round(clock() - t0, 1)
            rows = data["scenarios"].setdefault(sc.name, [])
            for rep in range(args.repeat):
                ref = {"cpu": round(reference.cpu_rate(), 1)}
                if pgb:
                    ref["pg8"] = round(pgb.rate(seconds=args.ref_seconds)[0], 1)
                shot = Shot(a, sc, args, f"{sc.name}{rep}{os.getpid() % 9973}")
                try:
                    row = await asyncio.wait_for(shot.go(users), args.shot_limit)
                except Exception as e:
                    traceback.print_exc()
                    data.setdefault("failures", []).append(f"{sc.name}#{rep}: {type(e).__name__}: {e}"[:300])
                    continue
                row["reference"] = ref
                if pgb:
                    row["ratio_pg8"] = round(row["accepted_per_s"] / ref["pg8"], 4)
                rows.append(row)
                print(
                    f"   {name} {sc.name}#{rep}: {row['accepted_per_s']}/s "
                    f"accept {row['accept_ms']} deliver {row['deliver_ms']} "
                    f"lost {row['lost']} dup {row['duplicated']} ooo "
                    f"{row['out_of_order']} disagree "
                    f"{row['receivers_that_disagree']} err {row['errors']} "
                    f"cpu {row['server_cpu_share']} driver "
                    f"{row['driver_cpu_share']} setup {row['setup_s']} ref {ref}",
                    flush=True,
                )
                save(result, args)
        if args.history:
            try:
                data["history"] = await history(a, args, os.getpid() % 9973)
                print("   history", json.dumps(data["history"]), flush=True)
            except Exception as e:
                traceback.print_exc()
                data.setdefault("failures", []).append(f"history: {e}"[:300])
    except Exception as e:
        traceback.print_exc()
        data.setdefault("failures", []).append(f"{type(e).__name__}: {e}"[:300])
    finally:
        await a.stop()
        save(result, args)


def save(result, args):
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(result, indent=1))
    args.out.with_suffix(".md").write_text(table(result) + "\n")


async def main_async(args):
    env = servers.Env(args.home)
    result = {
        "when": time.strftime("%Y-%m-%d %H:%M"),
        "machine": {"cpus": os.cpu_count(), "arch": platform.machine(), "python": platform.python_version()},
        "settings": {"seconds": args.seconds, "warmup": args.warmup, "repeat": args.repeat},
        "targets": {},
    }
    try:
        pgb = None
        if not args.no_pg:
            folder = env.folder("pgbench")
            folder.chmod(0o755)
            pgb = reference.PgBench(env.postgres(), folder)
        for spec in args.targets:
            await one_target(spec, env, args, result, pgb)
    finally:
        env.close()
    print(table(result))


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--targets", nargs="+", required=True, help="[NAME=]MODULE[:key=value,...]")
    p.add_argument("--scenarios", type=lambda s: [x for x in s.split(",") if x], default=["a", "b", "c"])
    p.add_argument("--repeat", type=int, default=3)
    p.add_argument("--seconds", type=float, default=6)
    p.add_argument("--warmup", type=float, default=1.5)
    p.add_argument("--drain", type=float, default=20)
    p.add_argument("--ref-seconds", type=int, default=2)
    p.add_argument("--shot-limit", type=float, default=240)
    p.add_argument(
        "--history", type=lambda s: [int(x) for x in s.split(",") if x], default=[], help="for example 0,10000,100000"
    )
    p.add_argument("--fill-limit", type=float, default=240)
    p.add_argument("--probes", type=int, default=100)
    p.add_argument("--no-pg", action="store_true", help="no pgbench reference")
    p.add_argument("--home", type=Path, default=Path("bench-home"))
    p.add_argument("--out", type=Path, default=Path("bench-result.json"))
    args = p.parse_args()
    try:
        import uvloop

        uvloop.run(main_async(args))
    except ImportError:
        asyncio.run(main_async(args))


if __name__ == "__main__":
    main()
