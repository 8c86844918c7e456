"""Reference rates, taken again before every repeat, to divide results by.

pg8      commits/s of pgbench with 8 connections, each transaction: lock and
         raise the counter of one of 50 sessions, insert one 200-byte row.
cpu      passes/s of a fixed pure-Python loop on one core.
"""

from __future__ import annotations

import re
import subprocess
import time

from servers import LOOPBACK, pg_bin

SCHEMA = """
CREATE TABLE IF NOT EXISTS bm_session(id int PRIMARY KEY, last_seq bigint NOT NULL DEFAULT 0)
  WITH (fillfactor=50);
CREATE TABLE IF NOT EXISTS bm_message(session_id int NOT NULL, seq bigint NOT NULL,
  sender int NOT NULL, created timestamptz NOT NULL DEFAULT now(), body text NOT NULL,
  PRIMARY KEY(session_id, seq));
INSERT INTO bm_session(id) SELECT generate_series(1,1000) ON CONFLICT DO NOTHING;
"""

ONE = """\\set s random(1, {sessions})
BEGIN;
UPDATE bm_session SET last_seq = last_seq + 1 WHERE id = :s RETURNING last_seq AS seq \\gset
INSERT INTO bm_message(session_id, seq, sender, body) VALUES (:s, :seq, 1, '{pad}');
COMMIT;
"""

CTE = """\\set s random(1, {sessions})
WITH c AS (UPDATE bm_session SET last_seq = last_seq + 1 WHERE id = :s RETURNING last_seq)
INSERT INTO bm_message(session_id, seq, sender, body) SELECT :s, last_seq, 1, '{pad}' FROM c;
"""

BATCH = """\\set s random(1, {sessions})
WITH c AS (UPDATE bm_session SET last_seq = last_seq + {k} WHERE id = :s RETURNING last_seq)
INSERT INTO bm_message(session_id, seq, sender, body)
SELECT :s, last_seq - {k} + g, 1, '{pad}' FROM c, generate_series(1, {k}) g;
"""


class PgBench:
    def __init__(self, pg, folder):
        self.pg, self.folder = pg, folder
        self.db = pg.database("pgbench")
        pg.sql(self.db, SCHEMA)

    def rate(self, template=ONE, conns=8, sessions=50, seconds=3, k=1, async_commit=False):
        """(messages per second, mean latency in ms)"""
        script = self.folder / "script.sql"
        script.write_text(template.format(sessions=sessions, k=k, pad="x" * 200))
        script.chmod(0o644)
        env = None
        if async_commit:
            import os

            env = dict(os.environ, PGOPTIONS="-c synchronous_commit=off")
        out = subprocess.run(
            [
                pg_bin("pgbench"),
                "-n",
                "-M",
                "prepared",
                "-f",
                script,
                "-c",
                str(conns),
                "-j",
                "2" if conns > 1 else "1",
                "-T",
                str(seconds),
                "-h",
                LOOPBACK,
                "-p",
                str(self.pg.port),
                "-U",
                "postgres",
                self.db,
            ],
            text=True,
            capture_output=True,
            check=True,
            env=env,
        ).stdout
        tps = float(re.search(r"tps = ([\d.]+)", out).group(1))
        lat = float(re.search(r"latency average = ([\d.]+)", out).group(1))
        return tps * k, lat


def cpu_rate(seconds=0.7) -> float:
    end, n = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        d = {}
        for i in range(2000):
            d[str(i & 255)] = d.get(str(i & 255), 0) + i
        n += 1
    return n / seconds
