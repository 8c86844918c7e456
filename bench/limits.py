#!/usr/bin/env python3
"""Physical limits of this machine: storage, broker, websocket fan-out.

limits.py [--repeat 3] [--seconds 3] [--home DIR] [--out FILE]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import reference
import servers
from lean import WebSocket

clock = time.perf_counter
HERE = Path(__file__).resolve().parent


def sqlite_rate(folder, seconds, k, sync):
    path = folder / f"lim{k}{sync}.db"
    path.unlink(missing_ok=True)
    c = sqlite3.connect(path, isolation_level=None)
    c.execute("PRAGMA journal_mode=WAL")
    c.execute(f"PRAGMA synchronous={sync}")
    c.execute("CREATE TABLE s(id INTEGER PRIMARY KEY, last INTEGER)")
    c.execute("CREATE TABLE m(sid INTEGER, seq INTEGER, body TEXT, PRIMARY KEY(sid, seq)) WITHOUT ROWID")
    c.executemany("INSERT INTO s VALUES(?, 0)", [(i,) for i in range(50)])
    end, n, pad = clock() + seconds, 0, "x" * 200
    while clock() < end:
        c.execute("BEGIN IMMEDIATE")
        sid = n % 50
        last = c.execute("UPDATE s SET last = last + ? WHERE id = ? RETURNING last", (k, sid)).fetchone()[0]
        c.executemany("INSERT INTO m VALUES(?, ?, ?)", [(sid, last - k + 1 + i, pad) for i in range(k)])
        c.execute("COMMIT")
        n += k
    c.close()
    return n / seconds


class Sub(asyncio.Protocol):
    count = 0

    def connection_made(self, t):
        self.t = t

    def data_received(self, data):
        Sub.count += data.count(b"PAYLOAD")


async def redis_fanout(port, subs, seconds):
    """deliveries/s: one publisher, `subs` subscribers of one channel"""
    loop = asyncio.get_running_loop()
    held = []
    for _ in range(subs):
        _, p = await loop.create_connection(Sub, servers.LOOPBACK, port)
        p.t.write(b"SUBSCRIBE room\r\n")
        held.append(p)
    await asyncio.sleep(0.5)
    r, w = await asyncio.open_connection(servers.LOOPBACK, port)
    msg = b"PAYLOAD" + b"x" * 193
    cmd = b"*3\r\n$7\r\nPUBLISH\r\n$4\r\nroom\r\n$%d\r\n%b\r\n" % (len(msg), msg)
    Sub.count, t0, sent = 0, clock(), 0
    while clock() - t0 < seconds:
        w.write(cmd * 5)
        for _ in range(5):
            await r.readline()
        sent += 5
        if Sub.count < (sent - 50) * subs:
            await asyncio.sleep(0)
    while Sub.count < sent * subs and clock() - t0 < seconds + 10:
        await asyncio.sleep(0.01)
    rate = Sub.count / (clock() - t0)
    for p in held:
        p.t.close()
    w.close()
    return rate


async def echo(env, server, kind, n, seconds):
    """deliveries/s and the p50/p99 of one broadcast reaching all n"""
    py = os.environ.get("STACK_PYTHON") or sys.executable
    home, port = env.folder("echo"), servers.free_port()
    if server == "uvicorn":
        cmd = [
            py,
            "-m",
            "uvicorn",
            "--host",
            servers.LOOPBACK,
            "--port",
            port,
            "--loop",
            "uvloop",
            "--ws",
            "websockets-sansio",
            "--ws-per-message-deflate",
            "false",
            "--no-access-log",
            "--log-level",
            "warning",
            "echo:app",
        ]
    else:
        cmd = [
            py,
            "-m",
            "granian",
            "--interface",
            "asginl",
            "--host",
            servers.LOOPBACK,
            "--port",
            port,
            "--loop",
            "uvloop",
            "--no-access-log",
            "--log-level",
            "warning",
            "echo:app",
        ]
    child = servers.Child(cmd, home / "server.log", cwd=home, env={"ECHO": kind, "PYTHONPATH": str(HERE / "limit")})
    got = [0]

    def on(_):
        got[0] += 1

    try:
        await servers.wait_port(port, child)
        ws = [await WebSocket(f"ws://{servers.LOOPBACK}:{port}/ws", on).connect() for _ in range(n)]
        await asyncio.sleep(0.5)
        msg = b"x" * 200
        lat, rounds, window = [], 0, 1
        cpu0, me0, t0 = servers.cpu_seconds([child.pid]), time.process_time(), clock()
        while clock() - t0 < seconds:
            t = clock()
            want = got[0] + n * window
            for _ in range(window):
                ws[0].send(msg)
            while got[0] < want:
                await asyncio.sleep(0)
                if clock() - t > 10:
                    raise TimeoutError
            lat.append(clock() - t)
            rounds += window
        wall = clock() - t0
        cpu = servers.cpu_seconds([child.pid]) - cpu0
        me = time.process_time() - me0
        for w in ws:
            w.close()
    finally:
        child.stop()
    lat.sort()
    return {
        "deliveries_per_s": round(rounds * n / wall),
        "all_received_ms_p50": round(lat[len(lat) // 2] * 1e3, 2),
        "all_received_ms_p99": round(lat[int(len(lat) * 0.99)] * 1e3, 2),
        "server_us_per_delivery": round(cpu / (rounds * n) * 1e6, 1),
        "driver_share": round(me / wall, 2),
    }


async def main_async(a):
    env, out = servers.Env(a.home), {}

    def put(name, value):
        out.setdefault(name, []).append(value)
        print(name, value, flush=True)
        a.out.parent.mkdir(parents=True, exist_ok=True)
        a.out.write_text(json.dumps(out, indent=1))

    try:
        pg = env.postgres()
        folder = env.folder("pgbench")
        folder.chmod(0o755)
        b = reference.PgBench(pg, folder)
        r = await env.redis()
        for _ in range(a.repeat):
            put("cpu loop/s", round(reference.cpu_rate()))
            for conns in (1, 8, 32):
                for label, n in (("50 sessions", 50), ("1 session", 1)):
                    put(
                        f"pg {conns} conns, {label}, BEGIN/UPDATE/INSERT/COMMIT",
                        [round(x, 2) for x in b.rate(conns=conns, sessions=n, seconds=a.seconds)],
                    )
            for conns in (1, 8):
                put(
                    f"pg {conns} conns, 50 sessions, one CTE statement",
                    [round(x, 2) for x in b.rate(reference.CTE, conns, 50, a.seconds)],
                )
                put(
                    f"pg {conns} conns, 1 session, one CTE statement",
                    [round(x, 2) for x in b.rate(reference.CTE, conns, 1, a.seconds)],
                )
            put("pg 1 conn, 10 rows per commit", [round(x, 2) for x in b.rate(reference.BATCH, 1, 50, a.seconds, k=10)])
            put("pg 1 conn, 50 rows per commit", [round(x, 2) for x in b.rate(reference.BATCH, 1, 50, a.seconds, k=50)])
            put(
                "pg 8 conns, 50 sessions, synchronous_commit=off",
                [round(x, 2) for x in b.rate(conns=8, sessions=50, seconds=a.seconds, async_commit=True)],
            )
            put("sqlite WAL FULL, 1 row per commit", round(sqlite_rate(folder, a.seconds, 1, "FULL")))
            put("sqlite WAL FULL, 10 rows per commit", round(sqlite_rate(folder, a.seconds, 10, "FULL")))
            put("sqlite WAL NORMAL, 1 row per commit", round(sqlite_rate(folder, a.seconds, 1, "NORMAL")))
            rb = subprocess.run(
                [
                    "redis-benchmark",
                    "-h",
                    servers.LOOPBACK,
                    "-p",
                    str(r.port),
                    "-c",
                    "8",
                    "-n",
                    "60000",
                    "-q",
                    "PUBLISH",
                    "room",
                    "x" * 200,
                ],
                text=True,
                capture_output=True,
            )
            if rb.returncode == 0:
                line = [x for x in rb.stdout.replace("\r", "\n").split("\n") if "requests per second" in x][-1]
                put(
                    "redis PUBLISH/s, 8 clients, no subscriber",
                    float(line.split("requests per second")[0].split(":")[-1]),
                )
            put("redis deliveries/s, 100 subscribers", round(await redis_fanout(r.port, 100, a.seconds)))
            for server in ("uvicorn", "granian"):
                for kind in ("starlette", "plain"):
                    for n in (100, 1000):
                        try:
                            put(
                                f"ws fan-out, {server}, {kind}, {n} receivers",
                                await echo(env, server, kind, n, a.seconds),
                            )
                        except Exception as e:
                            print("failed:", server, kind, n, repr(e), flush=True)
    finally:
        env.close()
    print("\n| limit | median |\n|---|---|")
    for k, v in out.items():
        if isinstance(v[0], dict):
            m = {x: statistics.median(i[x] for i in v) for x in v[0]}
        elif isinstance(v[0], list):
            m = f"{statistics.median(i[0] for i in v):.0f} rows/s, {statistics.median(i[1] for i in v):.2f} ms"
        else:
            m = round(statistics.median(v))
        print(f"| {k} | {m} |")


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--repeat", type=int, default=3)
    p.add_argument("--seconds", type=int, default=2)
    p.add_argument("--home", type=Path, default=Path("bench-home"))
    p.add_argument("--out", type=Path, default=Path("limits-result.json"))
    a = p.parse_args()
    try:
        import uvloop

        uvloop.run(main_async(a))
    except ImportError:
        asyncio.run(main_async(a))


if __name__ == "__main__":
    main()
