"""Settings of the tests: the house on a throwaway database, with what is slow on purpose made fast."""

import os
import tempfile
from pathlib import Path

# A developer's own installation is never touched: neither its folder nor what its variables name.
_folder = os.environ.setdefault("TEST_HOME", str(Path(tempfile.gettempdir()) / f"earshot-test-{os.getpid()}"))
os.environ["EARSHOT_HOME"] = _folder
os.environ["SECRET_KEY"] = "for-tests-alone-" + "x" * 32
_ADDRESSES = ("REDIS_URL", "AGENTS_REDIS_URL", "PUBLIC_URL", "EMAIL_URL", "HOST")
for _name in (*_ADDRESSES, "EARSHOT_CONFIG", "DEBUG", "METRICS_PORT", "LOG_FORMAT", "PROMETHEUS_MULTIPROC_DIR"):
    os.environ.pop(_name, None)
if os.environ.get("TEST_DATABASE", "sqlite") == "sqlite":
    os.environ.pop("DATABASE_URL", None)
    os.environ.pop("AGENTS_DATABASE_URL", None)

from collab.settings.house import *  # noqa: E402, F403
from collab.settings.house import DATABASES, STORAGES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
# Whatever PORT says where they run.
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "earshot_session", "earshot_csrf"
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # In memory there is neither a journal to write ahead nor a second connection.
    DATABASES["default"]["TEST"] = {"NAME": f"{_folder}/test.sqlite3"}
