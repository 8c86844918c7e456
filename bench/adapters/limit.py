"""Bare Django + ninja (folder limit/): what the same stack can reach.

Options: server=uvicorn|granian, workers, store=orm|raw|batch|none,
fanout=none|hub|redis|channels|channels_pubsub, db=postgres|sqlite,
http=django|lean|raw,
python=interpreter that has Django, ninja, psycopg, the ASGI servers.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import servers

from adapters import base, http_ws

HERE = Path(__file__).resolve().parent.parent / "limit"


class Adapter(http_ws.Adapter):
    accept = "HTTP 201 after the commit"
    durable = "row committed, fsync on"
    seq_pattern = re.compile(rb'"seq":(\d+)')
    defaults = dict(
        http_ws.Adapter.defaults,
        ready='{"ready":true}',
        post="/rooms/{room}/messages",
        page="/rooms/{room}/messages?limit={limit}",
    )

    async def start(self):
        o = self.opts
        py = o.get("python") or os.environ.get("STACK_PYTHON") or sys.executable
        home = self.env.folder("limit")
        self.port = servers.free_port()
        self.opts["url"] = f"http://{servers.LOOPBACK}:{self.port}"
        self.next_room = 0
        self.db = o.get("db", "postgres")
        fan = o.get("fanout", "hub")
        env = {
            "LIMIT_STORE": o.get("store", "batch"),
            "LIMIT_FANOUT": fan,
            "LIMIT_DB": self.db,
            "LIMIT_HTTP": o.get("http", "django"),
            "PYTHONPATH": os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH")))),
        }
        self.roots = []
        if self.db == "postgres":
            pg = self.env.postgres()
            env.update(LIMIT_PGDB=pg.database("limit"), LIMIT_PGPORT=str(pg.port))
            self.pgdb = env["LIMIT_PGDB"]
            self.roots += pg.pids()
        else:
            env["LIMIT_SQLITE"] = str(home / "limit.sqlite3")
        if fan in ("redis", "channels", "channels_pubsub"):
            r = await self.env.redis()
            env["LIMIT_REDIS"] = f"redis://{servers.LOOPBACK}:{r.port}/0"
            self.roots += r.pids()
        subprocess.run([py, str(HERE / "limitapp.py")], check=True, env={**os.environ, **env})
        workers = o.get("workers", "1")
        if o.get("server", "uvicorn") == "granian":
            cmd = [
                py,
                "-m",
                "granian",
                "--interface",
                "asginl",
                "--host",
                servers.LOOPBACK,
                "--port",
                self.port,
                "--workers",
                workers,
                "--loop",
                "uvloop",
                "--no-access-log",
                "--log-level",
                "warning",
                "limitapp:application",
            ]
        else:
            cmd = [
                py,
                "-m",
                "uvicorn",
                "--host",
                servers.LOOPBACK,
                "--port",
                self.port,
                "--workers",
                workers,
                "--loop",
                "uvloop",
                "--http",
                "httptools",
                "--ws",
                o.get("ws_impl", "websockets-sansio"),
                "--ws-per-message-deflate",
                "false",
                "--no-access-log",
                "--log-level",
                "warning",
                "limitapp:application",
            ]
        self.child = servers.Child(cmd, home / "server.log", env=env, cwd=home)
        self.roots.append(self.child.pid)
        await servers.wait_port(self.port, self.child)

    async def stop(self):
        if getattr(self, "child", None):
            self.child.stop()

    def pids(self):
        return self.roots

    async def users(self, n):
        return [base.User(f"u{i}", f"u{i}") for i in range(1, n + 1)]

    async def room(self, title, members):
        self.next_room += 1
        return base.Room(str(self.next_room))

    async def seed(self, room, user, count):
        if self.db != "postgres":
            return False
        self.env.postgres().sql(
            self.pgdb,
            (
                f"BEGIN; WITH c AS (UPDATE session SET last_seq = last_seq + {count} "
                f"WHERE id = {room.id} RETURNING last_seq) INSERT INTO message"
                "(session_id, seq, sender, created, body) SELECT "
                f"{room.id}, last_seq - {count} + g, 1, now(), repeat('x', 200) "
                f"FROM c, generate_series(1, {count}) g; COMMIT; ANALYZE message;"
            ),
        )
        return True
