from __future__ import annotations

from collab.processes.agents_environment import cleaned

SECRETS = {
    "DATABASE_URL": "postgresql://house:pw@db/earshot",
    "SECRET_KEY": "k" * 40,
    "REDIS_URL": "redis://r",
    "EMAIL_URL": "smtp://u:p@m",
    "EARSHOT_TOKEN": "t",
    "EARSHOT_CONFIG": "/etc/earshot.toml",
    "SLACK_BOT_TOKEN": "xoxb",
    "AWS_SECRET_ACCESS_KEY": "a",
    "PGPASSWORD": "p",
    # One process serves all; a process of the fleet is told so where it is started.
    "EARSHOT_PLACEMENT": "gpu",
}
PASSED = {
    "PATH": "/bin",
    "LC_ALL": "C.UTF-8",
    "PYTHONPATH": "/x",
    "OPENAI_API_KEY": "sk",
    "OPENAI_BASE_URL": "http://localhost:11434/v1",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus",
    "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
}


def test_the_house_s_secrets_stay_with_the_house():
    assert not set(cleaned(SECRETS | PASSED, "sqlite:////x")) & set(SECRETS)


def test_what_models_need_goes_along():
    found = cleaned(SECRETS | PASSED, "sqlite:////x")
    assert PASSED.items() <= found.items()
    assert found["AGENTS_DATABASE_URL"] == "sqlite:////x"
    assert found["DJANGO_SETTINGS_MODULE"] == "collab.settings.agents"
