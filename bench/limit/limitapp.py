"""The same-stack limit: the least that Django + ninja must do per message.

Settings come from the environment (the adapter sets them):
  LIMIT_STORE   orm    sync view, plain ORM in transaction.atomic
                raw    async view, one prepared CTE statement per message
                batch  async view, one writer task per process, one commit for
                       all that waits (group commit in the app)
                none   nothing is stored (cost of HTTP + Django + ninja alone)
  LIMIT_FANOUT  none | hub (in-process) | redis (pub/sub into each process)
                | channels | channels_pubsub (Django Channels with Redis)
  LIMIT_DB      postgres | sqlite
  LIMIT_HTTP    django  Django's stock ASGI handler
                lean    the same views, resolver and request class, without the
                        per-request thread that the stock handler makes
                raw     the POST as a plain ASGI function, past Django
"""

import asyncio
import json
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs

import django
from django.conf import settings

STORE = os.environ.get("LIMIT_STORE", "batch")
FANOUT = os.environ.get("LIMIT_FANOUT", "hub")
DB = os.environ.get("LIMIT_DB", "postgres")
HTTP = os.environ.get("LIMIT_HTTP", "django")
PG = dict(
    dbname=os.environ.get("LIMIT_PGDB", ""),
    user="postgres",
    host="127.0.0.1",
    port=os.environ.get("LIMIT_PGPORT", "5432"),
)
SQLITE = os.environ.get("LIMIT_SQLITE", "limit.sqlite3")
REDIS = os.environ.get("LIMIT_REDIS", "redis://127.0.0.1:6379/0")

import sys

if os.environ.get("LIMIT_SWITCH"):
    sys.setswitchinterval(float(os.environ["LIMIT_SWITCH"]))

layer = {
    "channels": "channels_redis.core.RedisChannelLayer",
    "channels_pubsub": "channels_redis.pubsub.RedisPubSubChannelLayer",
}
settings.configure(
    DEBUG=False,
    SECRET_KEY="bench",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=[],
    MIDDLEWARE=[],
    USE_TZ=True,
    CHANNEL_LAYERS={
        "default": {
            "BACKEND": layer[FANOUT],
            "CONFIG": {"hosts": [REDIS], **({"capacity": 100000} if FANOUT == "channels" else {})},
        }
    }
    if FANOUT in layer
    else {},
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": PG["dbname"],
            "USER": PG["user"],
            "HOST": PG["host"],
            "PORT": PG["port"],
            "OPTIONS": {"pool": {"min_size": 4, "max_size": 16}},
        }
        if DB == "postgres"
        else {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": SQLITE,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 30,
                "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL",
            },
        }
    },
)
django.setup()

from django.core.asgi import get_asgi_application
from django.db import connection, models, transaction
from django.http import HttpResponse
from django.urls import path
from ninja import NinjaAPI, Schema
from ninja.security import HttpBearer


class Session(models.Model):
    id = models.IntegerField(primary_key=True)
    last_seq = models.BigIntegerField(default=0)

    class Meta:
        app_label, db_table = "limit", "session"


class Message(models.Model):
    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(Session, models.CASCADE, db_index=False)
    seq = models.BigIntegerField()
    sender = models.IntegerField()
    created = models.DateTimeField(auto_now_add=True)
    body = models.TextField()

    class Meta:
        app_label, db_table = "limit", "message"
        constraints = [models.UniqueConstraint(fields=["session", "seq"], name="mseq")]


def create_tables():
    with connection.schema_editor() as ed:
        ed.create_model(Session)
        ed.create_model(Message)
    with connection.cursor() as c:
        for i in range(1, 3001):
            c.execute("INSERT INTO session(id, last_seq) VALUES (%s, 0)", [i])


# ---------------------------------------------------------------- fan-out
class Hub:
    """One encoded text per message, one bounded queue per subscriber."""

    def __init__(self):
        self.rooms = {}

    def join(self, room, q):
        self.rooms.setdefault(room, set()).add(q)

    def leave(self, room, q):
        self.rooms.get(room, set()).discard(q)

    def tell(self, room, text):
        for q in self.rooms.get(room, ()):
            q.put_nowait(text)


hub = Hub()
_redis = None
tasks = []


async def redis_client():
    global _redis
    if _redis is None:
        import redis.asyncio

        _redis = redis.asyncio.from_url(REDIS)
        # the loop holds tasks weakly: without this reference the listener is
        # collected, and every later message is silently lost
        tasks.append(asyncio.create_task(_redis_listen()))
    return _redis


async def _redis_listen():
    import redis.asyncio

    # no socket_timeout: the client's default (5 s) would end a quiet listener
    sub = redis.asyncio.from_url(REDIS, socket_timeout=None)
    ps = sub.pubsub(ignore_subscribe_messages=True)
    await ps.psubscribe("s.*")
    async for m in ps.listen():
        hub.tell(int(m["channel"][2:]), m["data"].decode())


async def broadcast(items):
    """items: [(room, text)] in order"""
    if FANOUT == "hub":
        for room, text in items:
            hub.tell(room, text)
    elif FANOUT == "redis":
        r = await redis_client()
        if len(items) == 1:
            await r.publish(f"s.{items[0][0]}", items[0][1])
        else:
            pipe = r.pipeline(transaction=False)
            for room, text in items:
                pipe.publish(f"s.{room}", text)
            await pipe.execute()
    elif FANOUT in layer:
        from channels.layers import get_channel_layer

        cl = get_channel_layer()
        for room, text in items:
            await cl.group_send(f"s.{room}", {"type": "msg", "text": text})


def encode(room, seq, sender, body):
    return json.dumps({"room": room, "seq": seq, "sender": sender, "body": body}, separators=(",", ":"))


# ---------------------------------------------------------------- stores
ONE = """WITH c AS (UPDATE session SET last_seq = last_seq + 1 WHERE id = %s RETURNING last_seq)
INSERT INTO message(session_id, seq, sender, created, body)
SELECT %s, last_seq, %s, now(), %s FROM c RETURNING seq"""

MANY = """WITH inp AS MATERIALIZED (
  SELECT * FROM unnest(%s::int[], %s::int[], %s::text[]) WITH ORDINALITY AS t(room, sender, body, n)),
cnt AS (SELECT room, count(*) AS c FROM inp GROUP BY room),
lck AS MATERIALIZED (SELECT id FROM session WHERE id IN (SELECT room FROM cnt) ORDER BY id FOR UPDATE),
upd AS (UPDATE session s SET last_seq = last_seq + cnt.c FROM cnt, lck
  WHERE s.id = cnt.room AND s.id = lck.id RETURNING s.id, s.last_seq - cnt.c AS base),
ins AS (INSERT INTO message(session_id, seq, sender, created, body)
  SELECT i.room, u.base + row_number() OVER (PARTITION BY i.room ORDER BY i.n), i.sender, now(), i.body
  FROM inp i JOIN upd u ON u.id = i.room)
SELECT id, base FROM upd"""

_pool = None
_pool_lock = asyncio.Lock()


async def pool():
    global _pool
    if _pool is None:
        async with _pool_lock:
            if _pool is None:
                import psycopg_pool

                p = psycopg_pool.AsyncConnectionPool(
                    " ".join(f"{k}={v}" for k, v in PG.items()),
                    min_size=4,
                    max_size=16,
                    open=False,
                    kwargs={"autocommit": True, "prepare_threshold": 0},
                )
                await p.open()
                _pool = p
    return _pool


async def put_raw(room, sender, body):
    p = await pool()
    async with p.connection() as c:
        cur = await c.execute(ONE, (room, room, sender, body))
        seq = (await cur.fetchone())[0]
    await broadcast([(room, encode(room, seq, sender, body))])
    return seq


class Batcher:
    LIMIT = 500

    def __init__(self):
        self.todo, self.wake, self.task = [], asyncio.Event(), None
        self.thread = ThreadPoolExecutor(1)
        self.sq = None

    async def put(self, room, sender, body):
        if self.task is None:
            self.task = asyncio.create_task(self.loop())  # held by self
        fut = asyncio.get_running_loop().create_future()
        self.todo.append((room, sender, body, fut))
        self.wake.set()
        return await fut

    async def loop(self):
        while True:
            await self.wake.wait()
            batch, self.todo = self.todo[: self.LIMIT], self.todo[self.LIMIT :]
            if not self.todo:
                self.wake.clear()
            try:
                base = await (
                    self.pg(batch)
                    if DB == "postgres"
                    else asyncio.get_running_loop().run_in_executor(self.thread, self.lite, batch)
                )
            except Exception as e:
                for *_, fut in batch:
                    if not fut.done():
                        fut.set_exception(e)
                continue
            out = []
            for room, sender, body, fut in batch:
                base[room] += 1
                out.append((room, encode(room, base[room], sender, body)))
                if not fut.done():
                    fut.set_result(base[room])
            await broadcast(out)

    async def pg(self, batch):
        p = await pool()
        async with p.connection() as c:
            cur = await c.execute(MANY, ([b[0] for b in batch], [b[1] for b in batch], [b[2] for b in batch]))
            return dict(await cur.fetchall())

    def lite(self, batch):
        if self.sq is None:
            self.sq = sqlite3.connect(SQLITE, isolation_level=None, timeout=30)
            self.sq.execute("PRAGMA journal_mode=WAL")
            self.sq.execute("PRAGMA synchronous=FULL")
        sq, count = self.sq, {}
        for b in batch:
            count[b[0]] = count.get(b[0], 0) + 1
        sq.execute("BEGIN IMMEDIATE")
        base = {}
        for room, n in count.items():
            base[room] = (
                sq.execute(
                    "UPDATE session SET last_seq = last_seq + ? WHERE id = ? RETURNING last_seq", (n, room)
                ).fetchone()[0]
                - n
            )
        at, rows = dict(base), []
        for room, sender, body, _ in batch:
            at[room] += 1
            rows.append((room, at[room], sender, body))
        sq.executemany(
            "INSERT INTO message(session_id, seq, sender, created, body) VALUES (?, ?, ?, datetime('now'), ?)", rows
        )
        sq.execute("COMMIT")
        return base


batcher = Batcher()


def put_orm(room, sender, body):
    with transaction.atomic():
        s = Session.objects.select_for_update().get(id=room)
        s.last_seq += 1
        s.save(update_fields=["last_seq"])
        m = Message.objects.create(session=s, seq=s.last_seq, sender=sender, body=body)
    return m.seq


# ---------------------------------------------------------------- HTTP
class Bearer(HttpBearer):
    def authenticate(self, request, token):
        return int(token[1:]) if token[:1] == "u" else None


class AsyncBearer(HttpBearer):
    async def authenticate(self, request, token):
        return int(token[1:]) if token[:1] == "u" else None


class In(Schema):
    body: str


class Out(Schema):
    id: int


is_async = STORE != "orm"
api = NinjaAPI(auth=AsyncBearer() if is_async else Bearer(), openapi_url=None)

if STORE == "orm":
    from asgiref.sync import async_to_sync

    @api.post("/rooms/{room}/messages", response={201: Out})
    def post(request, room: int, data: In):
        seq = put_orm(room, request.auth, data.body)
        if FANOUT != "none":
            async_to_sync(broadcast)([(room, encode(room, seq, request.auth, data.body))])
        return 201, {"id": seq}
else:

    @api.post("/rooms/{room}/messages", response={201: Out})
    async def post(request, room: int, data: In):
        if STORE == "raw":
            seq = await put_raw(room, request.auth, data.body)
        elif STORE == "batch":
            seq = await batcher.put(room, request.auth, data.body)
        else:
            seq = 0
            await broadcast([(room, encode(room, seq, request.auth, data.body))])
        return 201, {"id": seq}


@api.get("/rooms/{room}/messages")
def page(request, room: int, limit: int = 50):
    rows = Message.objects.filter(session_id=room).order_by("-seq").values("seq", "sender", "created", "body")[:limit]
    return {"messages": list(rows)[::-1]}


urlpatterns = [path("", api.urls), path("up", lambda r: HttpResponse("ok"))]
http = get_asgi_application()

if HTTP == "lean":
    from django.core.handlers.asgi import ASGIHandler

    class Lean(ASGIHandler):
        """For async views without ORM: no signals, no thread per request."""

        async def __call__(self, scope, receive, send):
            body = await self.read_body(receive)
            request, response = self.create_request(scope, body)
            if request is not None:
                response = await self.get_response_async(request)
            await self.send_response(response, send)
            body.close()

    lean, stock = Lean(), http

    async def http(scope, receive, send):
        # views that use the ORM keep the stock handler
        await (lean if scope["method"] == "POST" else stock)(scope, receive, send)

elif HTTP == "raw":
    stock = http

    async def http(scope, receive, send):
        if scope["method"] != "POST":
            return await stock(scope, receive, send)
        data, more = b"", True
        while more:
            m = await receive()
            data += m.get("body", b"")
            more = m.get("more_body", False)
        user = 0
        for k, v in scope["headers"]:
            if k == b"authorization":
                user = int(v[8:])
        room, body = int(scope["path"].split("/")[2]), json.loads(data)["body"]
        if STORE == "raw":
            seq = await put_raw(room, user, body)
        elif STORE == "batch":
            seq = await batcher.put(room, user, body)
        else:
            seq = 0
            await broadcast([(room, encode(room, seq, user, body))])
        out = b'{"id": %d}' % seq
        await send(
            {
                "type": "http.response.start",
                "status": 201,
                "headers": [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(out))],
            }
        )
        await send({"type": "http.response.body", "body": out})


async def websocket(scope, receive, send):
    q = parse_qs(scope["query_string"].decode())
    room = int(q["room"][0])
    await receive()
    if FANOUT == "redis":
        await redis_client()
    await send({"type": "websocket.accept"})
    box = asyncio.Queue()
    hub.join(room, box)

    async def writer():
        while True:
            await send({"type": "websocket.send", "text": await box.get()})

    task = asyncio.create_task(writer())
    try:
        await send({"type": "websocket.send", "text": '{"ready":true}'})
        while (await receive())["type"] != "websocket.disconnect":
            pass
    finally:
        hub.leave(room, box)
        task.cancel()


if FANOUT in layer:
    from channels.generic.websocket import AsyncWebsocketConsumer

    class Consumer(AsyncWebsocketConsumer):
        async def connect(self):
            q = parse_qs(self.scope["query_string"].decode())
            self.group = f"s.{int(q['room'][0])}"
            await self.channel_layer.group_add(self.group, self.channel_name)
            await self.accept()
            await self.send(text_data='{"ready":true}')

        async def disconnect(self, code):
            await self.channel_layer.group_discard(self.group, self.channel_name)

        async def msg(self, event):
            await self.send(text_data=event["text"])

    websocket = Consumer.as_asgi()


async def application(scope, receive, send):
    if scope["type"] == "websocket":
        await websocket(scope, receive, send)
    elif scope["type"] == "http":
        await http(scope, receive, send)
    elif scope["type"] == "lifespan":
        while True:
            m = await receive()
            await send({"type": m["type"] + ".complete"})
            if m["type"] == "lifespan.shutdown":
                return


if __name__ == "__main__":
    create_tables()
