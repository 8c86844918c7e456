"""A fleet put up from the files in deploy/, with ports and folders of the test's own put in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.services.child import LOOPBACK, Child, answers, free_port
from tests.services.earshot import KEPT, PROGRAM, Installation
from tests.services.postgres import Postgres

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
PASSWORDS = {
    name: f"{name.lower().replace('_', '')}"
    for name in ("HOUSE_PASSWORD", "AGENTS_PASSWORD", "HOUSE_REDIS_PASSWORD", "AGENTS_REDIS_PASSWORD")
}


def command(title: str) -> str:
    """The lines that the page has below that mark, as a shell takes them."""
    text = (ROOT / "docs" / "deploy.md").read_text()
    found = re.search(rf"<!-- command: {title} -->\n((?:    .+\n)+)", text)
    assert found is not None, title
    return found.group(1)


def shell(script: str, environ: Mapping[str, str], folder: Path) -> str:
    """Run commands in a folder, where `earshot` and `deploy/` are within reach; raise with what was said."""
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    if not (folder / "deploy").exists():
        (folder / "deploy").symlink_to(DEPLOY)
    given = {name: os.environ[name] for name in KEPT if name in os.environ} | dict(environ) | {"PATH": path}
    done = subprocess.run(["sh", "-euc", script], env=given, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return done.stdout


class Server:
    """A PostgreSQL that wants passwords, whose roles and database are made by our own script."""

    def __init__(self) -> None:
        # The server is not root's, so it lies where others may go; a socket's path has room for a hundred signs.
        self.folder = Path(tempfile.mkdtemp(prefix="earshot-deploy-"))
        self.postgres = Postgres(self.folder / "pg")
        self.postgres.start()
        self.postgres.sql("DROP ROLE house; DROP ROLE agents")
        access = f"host all postgres {LOOPBACK}/32 trust\nhost all all {LOOPBACK}/32 scram-sha-256\n"
        (self.folder / "pg" / "data" / "pg_hba.conf").write_text(access)
        self.postgres.sql("SELECT pg_reload_conf()")

    def stop(self) -> None:
        self.postgres.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def environ(self) -> dict[str, str]:
        """What the commands on the page find in their environment."""
        where = f"{LOOPBACK}:{self.postgres.port}/earshot"
        return {
            "PGHOST": LOOPBACK,
            "PGPORT": str(self.postgres.port),
            "DATABASE_URL": f"postgresql://house:{PASSWORDS['HOUSE_PASSWORD']}@{where}",
            "AGENTS_DATABASE_URL": f"postgresql://agents:{PASSWORDS['AGENTS_PASSWORD']}@{where}",
        } | PASSWORDS


def redis(folder: Path) -> tuple[Child, dict[str, str]]:
    """Redis with the users of our own script, and its two addresses."""
    port = free_port()
    environ = {"REDIS_PORT": str(port), "PATH": os.environ["PATH"], **PASSWORDS}
    child = Child(["sh", DEPLOY / "redis-users.sh"], folder / "redis.log", environ, folder=folder)
    child.wait_until(lambda: answers(port), "Redis")
    house, agents = PASSWORDS["HOUSE_REDIS_PASSWORD"], PASSWORDS["AGENTS_REDIS_PASSWORD"]
    where = f"{LOOPBACK}:{port}/0"
    return child, {"REDIS_URL": f"redis://:{house}@{where}", "AGENTS_REDIS_URL": f"redis://agents:{agents}@{where}"}


def agents_alone(place: Installation) -> Child:
    """Agents whose environment has never held anything of the house's."""
    kept = {name: place.environ[name] for name in KEPT if name in place.environ}
    theirs = {name: place.environ[name] for name in ("AGENTS_DATABASE_URL", "AGENTS_REDIS_URL")}
    child = Child([PROGRAM, "agents"], place.home / "agents-alone.log", kept | theirs)
    place.children["agents-alone"] = child
    return child


def nginx_configuration(folder: Path, servers: list[int], plain: int, tls: int) -> Path:
    """The example, included as its users would, with the test's ports and a certificate of its own."""
    certificates = folder / "certificates"
    certificates.mkdir()
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    files = ["-keyout", f"{certificates}/privkey.pem", "-out", f"{certificates}/fullchain.pem"]
    subprocess.run(["openssl", *words, *files], check=True, capture_output=True)
    lines = (DEPLOY / "nginx" / "servers.conf").read_text()
    for given, port in zip(re.findall(r":(\d+)", lines), servers, strict=True):
        lines = lines.replace(f":{given}", f":{port}")
    (folder / "servers.conf").write_text(lines)
    example = (DEPLOY / "nginx" / "earshot.conf").read_text()
    example = re.sub(r"^    listen \[::\].*\n", "", example, flags=re.MULTILINE)
    example = example.replace("listen 80;", f"listen {LOOPBACK}:{plain};")
    example = example.replace("listen 443 ssl;", f"listen {LOOPBACK}:{tls} ssl;")
    example = example.replace("/etc/nginx/earshot-servers.conf", str(folder / "servers.conf"))
    example = example.replace("/etc/nginx/certificates", str(certificates))
    assert "/etc/nginx" not in example
    (folder / "earshot.conf").write_text(example)
    around = (
        f"daemon off;\npid {folder}/nginx.pid;\nerror_log stderr;\nworker_processes 1;\nevents {{}}\n"
        f"http {{\n  access_log {folder}/access.log;\n"
        + "".join(f"  {kind}_temp_path {folder};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        + f"  include {folder}/earshot.conf;\n}}\n"
    )
    (folder / "nginx.conf").write_text(around)
    return folder / "nginx.conf"
