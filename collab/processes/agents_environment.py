"""The environment of the process of agents: what is not on this list stays with the house."""

from __future__ import annotations

from collections.abc import Mapping

NAMES = frozenset(
    {
        "PATH", "HOME", "LANG", "TZ", "TMPDIR", "VIRTUAL_ENV", "SSL_CERT_FILE", "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy",
        "no_proxy", "AGENTS_DATABASE_URL", "AGENTS_REDIS_URL", "LOG_FORMAT",
        # By these the system's keyring is found, where a key may lie.
        "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    }
)  # fmt: skip
PREFIXES = ("LC_", "PYTHON")
# A model's key and the address where it is served are the agents' own.
PROVIDER_SUFFIXES = ("_API_KEY", "_BASE_URL")
# The fleet's way to run them: a worker of their own queue, which no other process joins.
QUEUE_COMMAND = (
    "-m", "celery", "-A", "messaging.agents.celery:app", "--quiet", "worker", "--pool", "threads",
    # A turn mostly waits for a model, so their number has nothing to do with that of cores.
    "--concurrency", "8", "--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING",
)  # fmt: skip


def cleaned(environ: Mapping[str, str], agents_database_url: str) -> dict[str, str]:
    """Return what may be passed on, with the agents' own settings added."""
    kept = {name: value for name, value in environ.items() if _allowed(name)}
    return kept | {
        "AGENTS_DATABASE_URL": agents_database_url,
        "DJANGO_SETTINGS_MODULE": "collab.settings.agents",
        "EARSHOT_AGENTS_ALONE": "1",
    }


def _allowed(name: str) -> bool:
    return name in NAMES or name.startswith(PREFIXES) or name.endswith(PROVIDER_SUFFIXES)
