"""Earshot, by its contract alone: command lines, environment, REST, WebSocket.

Options:
  mode       fleet (default): PostgreSQL, Redis, `earshot web|worker|agents|beat`
             embedded: `earshot up` with SQLite in a data folder of its own
  checkout   folder of the product (default: this one); its .venv must be ready
  web        fleet: how many `earshot web` processes, each on its own port; users
             are dealt out to them in turn, so with 2 or more most messages
             cross from one process to another                     (1)
  workers    fleet: server workers within each web process         (1)
  worker, agents, beat   fleet: how many of each                   (1)
  audience   participants (default): people only, no agent ever hears it
             agent:HANDLE: to that agent, seated in each room (scout: connected,
             and nobody takes its mail, so that no turn runs)
             agent: to the session's active agent; its answers are not counted,
             but their cost is (the agent's turns run on the same machine)
  dispatch   sent along where given (agent:HANDLE: future_turn)
  keys       1 (default): every post carries a client_key of its own; 0: none
  people     issue (default): people of this run's own
             demo: the five people of the demo session, reused in turn; only for
             smoke runs, the scenarios want people who differ
             else a command line without commas, run in the checkout with the
             run's environment ({n}: how many), printing `HANDLE TOKEN` lines
  wait       seconds until the product must be ready               (180)

Several bench targets may point at different checkouts of the product.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
import secrets
import shlex
import signal
import subprocess
from pathlib import Path

import servers
from lean import Http, HttpError, WebSocket, dumps, loads

from adapters import base, http_ws

API = "/api/v1"
READY = "/readyz"  # 200 once database, Redis, workers, agents are there

#: processes a fleet needs besides `web`, and how to tell `web` its worker count
ROLES = ("worker", "agents", "beat")
WEB_WORKERS = "WEB_CONCURRENCY"


def agents_role(pg, database: str) -> str:
    """Name of the restricted role; here made before the migration grants to it."""
    name = f"{database}_agents"
    pg.sql("postgres", f'CREATE ROLE "{name}" LOGIN')
    return name


#: commands of manage.py that make an empty database ready, in this order
PREPARE = (["migrate", "--noinput"],)

#: TOML for EARSHOT_CONFIG: limits out of the load's way
CONFIG = """\
[limits]
agent_inputs_per_minute = 1000000000
hosted_inputs = 1000000000
connected_inbox = 1000000000
"""

#: one Django start for all: people without a password, and a token for each
ISSUE = r"""
import io, sys
from django.core.management import call_command

handles = sys.stdin.read().split()
call_command("add_person", *handles, stdout=io.StringIO())
out = io.StringIO()
call_command("issue_token", *handles, stdout=out)
tokens = [line.split()[-1] for line in out.getvalue().splitlines() if line.strip()]
for handle, token in zip(handles, tokens, strict=True):
    print("TOKEN", handle, token)
"""


def session_body(title: str) -> dict:
    return {"title": title, "slug": title}


def agent_body(handle: str) -> dict:
    return {"handle": handle, "role": "agent"}


def member_body(handle: str) -> dict:
    return {"handle": handle, "role": "member"}


#: who answers when the audience is `agent`: the demo's hosted agent, seated as a
#: member and then named in a PATCH of the session
AGENT = "mirror"
ACTIVE_BODY = {"active_agent": AGENT}

#: without after and before: the newest page
PAGE = API + "/sessions/{room}/messages?limit={limit}"

SEQ = re.compile(rb'"seq"\s*:\s*(\d+)')
READY_FRAME = re.compile(rb'"type"\s*:\s*"ready"')
AUDIENCES = {"participants": "participants", "agent": "active_agent"}


class _Sender(base.Sender):
    def __init__(self, http, path, extra, keys, saw):
        self.http, self.path, self.extra, self.saw = http, path, extra, saw
        self.key = secrets.token_hex(8) if keys else ""
        self.count = itertools.count()

    async def send(self, text):
        body = {"text": text, **self.extra}
        if self.key:
            body["client_key"] = f"{self.key}-{next(self.count)}"
        status, answer = await self.http.request("POST", self.path, dumps(body))
        if status != 201:  # 200 would be the repeat of a key: never here
            raise HttpError(status, answer)
        found = SEQ.search(answer)
        if found:
            self.saw(int(found.group(1)))

    async def close(self):
        self.http.close()


class Adapter(http_ws.Adapter):
    accept = "HTTP 201 and the message"
    durable = "row committed, fsync on"
    seq_pattern = SEQ
    defaults = {
        "mode": "fleet",
        "checkout": str(Path(__file__).resolve().parents[2]),
        "web": "1",
        "workers": "1",
        "worker": "1",
        "agents": "1",
        "beat": "1",
        "keys": "1",
        "audience": "participants",
        "people": "issue",
        "wait": "180",
        "page": PAGE,
        "list": "items",
    }

    # ------------------------------------------------------------ start, stop
    async def start(self):
        self.checkout = Path(self.opt("checkout")).expanduser().resolve()
        self.home = self.env.folder("earshot")
        self.children, self.roots, self.urls = [], [], []
        self.people, self.top, self.turn = [], {}, itertools.count()
        self.vars = {"SECRET_KEY": secrets.token_hex(32), "HOST": servers.LOOPBACK, "ALLOWED_HOSTS": servers.LOOPBACK}
        if self.opt("audience").startswith("agent"):
            (self.home / "bench.toml").write_text(CONFIG)
            self.vars["EARSHOT_CONFIG"] = str(self.home / "bench.toml")
        if self.opt("mode") == "fleet":
            await self.start_fleet()
        elif self.opt("mode") == "embedded":
            await self.start_embedded()
        else:
            raise ValueError(f"mode={self.opt('mode')}: fleet or embedded")
        demo = json.loads(await self.seed_demo())
        self.demo = demo["tokens"]
        self.owner = Http(self.urls[0], self.bearer(self.demo["alex"]))
        await self.owner.json("GET", f"{API}/me")

    async def start_fleet(self):
        pg, redis = self.env.postgres(), await self.env.redis()
        self.roots += pg.pids() + redis.pids()
        name, at = pg.database("earshot"), f"{servers.LOOPBACK}:{pg.port}"
        role = agents_role(pg, name)
        ports = [servers.free_port() for _ in range(int(self.opt("web")))]
        self.urls = [f"http://{servers.LOOPBACK}:{p}" for p in ports]
        self.vars.update(
            DATABASE_URL=f"postgresql://postgres@{at}/{name}",
            AGENTS_DATABASE_URL=f"postgresql://{role}@{at}/{name}",
            REDIS_URL=f"redis://{servers.LOOPBACK}:{redis.port}/0",
            EARSHOT_HOME=str(self.home / "data"),
            PUBLIC_URL=self.urls[0],
        )
        for command in PREPARE:
            await self.manage(*command)
        earshot = self.checkout / ".venv/bin/earshot"
        first = [
            self.spawn([earshot, "web"], f"web{i}", PORT=str(p), **{WEB_WORKERS: self.opt("workers")})
            for i, p in enumerate(ports)
        ]
        for kind in ROLES:
            for i in range(int(self.opt(kind))):
                self.spawn([earshot, kind], f"{kind}{i}")
        for child, url in zip(first, self.urls):
            await self.until_ready(child, url)

    async def start_embedded(self):
        port = servers.free_port()
        self.urls = [f"http://{servers.LOOPBACK}:{port}"]
        self.vars.update(EARSHOT_HOME=str(self.home / "data"), PORT=str(port), PUBLIC_URL=self.urls[0])
        # an address in the caller's environment would make it a fleet
        for key in ("DATABASE_URL", "AGENTS_DATABASE_URL", "REDIS_URL", "AGENTS_REDIS_URL"):
            self.vars[key] = None
        await self.until_ready(self.spawn([self.checkout / ".venv/bin/earshot", "up"], "up"), self.urls[0])

    def environment(self, **more) -> dict[str, str]:
        """The caller's environment, with ours on top; None takes one away."""
        full = {**os.environ, **self.vars, **more}
        return {k: v for k, v in full.items() if v is not None}

    def spawn(self, cmd, name, **more):
        env = self.environment(**more)
        gone = [k for k in os.environ if k not in env]
        prefix = ["env", *(x for k in gone for x in ("-u", k))] if gone else []
        child = servers.Child([*prefix, *cmd], self.home / f"{name}.log", env=env, cwd=self.checkout)
        self.children.append(child)
        self.roots.append(child.pid)
        return child

    async def until_ready(self, child, url):
        end = asyncio.get_running_loop().time() + float(self.opt("wait"))
        await servers.wait_port(int(url.rsplit(":", 1)[1]), child, float(self.opt("wait")))
        while True:
            http = Http(url)
            try:
                status, body = await http.request("GET", READY)
            except ConnectionError as e:
                status, body = 0, str(e).encode()
            finally:
                http.close()
            dead = [c for c in self.children if c.proc.poll() is not None]
            if status == 200 and not dead:
                return
            if dead or asyncio.get_running_loop().time() > end:
                tails = "\n".join(f"{c.log.name}: {tail(c.log)}" for c in dead or [child])
                raise RuntimeError(f"{READY}: {status} {body[:300]!r}\n{tails}")
            await asyncio.sleep(0.3)

    async def stop(self):
        if getattr(self, "owner", None):
            self.owner.close()
        for child in reversed(getattr(self, "children", [])):
            # its own process group: `make` hands no signal on
            if child.proc.poll() is None:
                try:
                    os.killpg(child.pid, signal.SIGINT)
                except ProcessLookupError:
                    pass
        for child in reversed(getattr(self, "children", [])):
            try:
                await asyncio.to_thread(child.proc.wait, 10)
            except subprocess.TimeoutExpired:
                pass
            child.stop()

    def pids(self):
        return self.roots

    # --------------------------------------------------------- commands of it
    async def command(self, cmd, text="") -> str:
        done = await asyncio.to_thread(
            subprocess.run,
            [str(c) for c in cmd],
            input=text,
            text=True,
            capture_output=True,
            cwd=self.checkout,
            env=self.environment(),
        )
        if done.returncode:
            raise RuntimeError(
                f"{' '.join(map(str, cmd[:4]))}: exit {done.returncode}: {(done.stderr or done.stdout)[-800:]}"
            )
        return done.stdout

    async def manage(self, *args, text="") -> str:
        python = self.checkout / ".venv/bin/python"
        return await self.command([python, "manage.py", *args], text)

    async def seed_demo(self) -> str:
        file = self.home / "tokens.json"
        await self.manage("seed_demo", "--tokens", file)
        return file.read_text()

    # ------------------------------------------------------------ people, rooms
    def bearer(self, token):
        return {"Authorization": f"Bearer {token}"}

    def headers(self, user):
        return self.bearer(user.token)

    def url_of(self, user):
        return self.urls[user.extra["web"]]

    def person(self, handle, token):
        return base.User(handle, token, {"web": next(self.turn) % len(self.urls)})

    async def users(self, n):
        how, short = self.opt("people"), n - len(self.people)
        if short > 0 and how == "demo":
            cast = [(h, t) for h, t in self.demo.items() if h in ("alex", "sam", "mo", "vic", "gus")]
            self.people += [self.person(*cast[i % len(cast)]) for i in range(short)]
        elif short > 0:
            self.people += [self.person(h, t) for h, t in await self.issue(how, short)]
        return self.people[:n]

    async def issue(self, how, n):
        if how == "issue":
            first = len(self.people)
            names = "\n".join(f"bench-{first + i:05d}" for i in range(n))
            out = await self.manage("shell", "-c", ISSUE, text=names)
            rows = [line.split()[1:] for line in out.splitlines() if line.startswith("TOKEN ")]
        else:
            out = await self.command(shlex.split(how.replace("{n}", str(n))))
            rows = [line.split() for line in out.splitlines() if line.strip()]
        if len(rows) != n or any(len(r) != 2 for r in rows):
            raise RuntimeError(f"{n} people wanted, {len(rows)} rows: {rows[:2]}")
        return rows

    async def room(self, title, members):
        made = await self.owner.json("POST", f"{API}/sessions", session_body(title))
        room = base.Room(str(made["id"]), {"slug": made.get("slug")})
        path = f"{API}/sessions/{room.id}"
        for handle in dict.fromkeys(u.name for u in members):
            if handle != "alex":  # the owner is in it already
                await self.owner.json("POST", f"{path}/members", member_body(handle))
        if self.opt("audience") == "agent":
            await self.owner.json("POST", f"{path}/members", agent_body(AGENT))
            await self.owner.json("PATCH", path, ACTIVE_BODY)
        elif self.opt("audience").startswith("agent:"):
            await self.owner.json("POST", f"{path}/members", agent_body(self.opt("audience")[6:]))
        return room

    # ------------------------------------------------------------- the traffic
    def saw(self, room, seq):
        if seq > self.top.get(room.id, 0):
            self.top[room.id] = seq

    async def sender(self, user, room):
        said = self.opt("audience")
        extra = {"audience": AUDIENCES.get(said, said)}
        if said.startswith("agent:"):
            extra["dispatch"] = self.opt("dispatch") or "future_turn"
        return _Sender(
            Http(self.url_of(user), self.headers(user)),
            f"{API}/sessions/{room.id}/messages",
            extra,
            self.opt("keys") != "0",
            lambda seq: self.saw(room, seq),
        )

    async def receiver(self, user, room, cb):
        ready = asyncio.get_running_loop().create_future()
        quoting = self.opt("audience") != "participants"

        def on_text(data):
            if not ready.done() and READY_FRAME.search(data):
                ready.set_result(None)
            elif not quoting or from_person(data):
                cb(data)

        ws = WebSocket(
            self.url_of(user).replace("http", "ws", 1) + f"/ws/sessions/{room.id}?after={self.top.get(room.id, 0)}",
            on_text,
            self.headers(user),
        )
        await ws.connect()
        await asyncio.wait_for(ready, 60)
        return http_ws._Receiver(ws)

    async def last_page(self, user, room, limit):
        http = user.extra.get("http")
        if http is None:
            http = user.extra["http"] = Http(self.url_of(user), self.headers(user))
        page = await http.json("GET", self.fill(self.opt("page"), user, room, limit=limit), ok=(200,))
        return len(page[self.opt("list")])


def from_person(data) -> bool:
    """Agents quote what they were given: their frames carry the marker again."""
    frame = loads(data)
    if frame.get("type") != "message":
        return False
    return frame["message"]["author"]["kind"] == "human"


def tail(log: Path) -> str:
    return log.read_bytes()[-800:].decode(errors="replace") if log.exists() else ""
