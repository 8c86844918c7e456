"""Settings of the process that runs hosted agents: the mailbox, behind its wall, and nothing else."""

import os
import secrets

from collab import addresses, environment
from collab.settings.base import *  # noqa: F403

# Whoever starts this process with the house's secrets in reach has no second ring any more.
for _name in ("DATABASE_URL", "SECRET_KEY", "REDIS_URL", "EMAIL_URL"):
    if os.environ.get(_name):
        raise environment.UnsafeSetting(_name, "must not reach the process of agents")

DEBUG = False
SECRET_KEY = secrets.token_urlsafe(48)
ALLOWED_HOSTS: list[str] = []
INSTALLED_APPS = ["messaging.mailbox", "messaging.agents"]
DATABASES = {"default": addresses.walled(addresses.database(os.environ["AGENTS_DATABASE_URL"]))}
# What nobody catches there may quote a prompt, so it goes through the same formatter.
LOGGING_CONFIG = "collab.logs.configure"
AGENTS_REDIS_URL = os.environ.get("AGENTS_REDIS_URL")
#: Of a process of the fleet: whose seats it serves. The one process beside `earshot up` serves all.
PLACEMENT = environment.placement(os.environ)
