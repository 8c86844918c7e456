"""Settings of everything but the agents' process: web, worker, beat and the commands."""

import os

from collab import environment, secret
from collab.settings.base import *  # noqa: F403

ENVIRONMENT = environment.read(os.environ)

DEBUG = ENVIRONMENT.debug
SECRET_KEY = ENVIRONMENT.secret_key or secret.kept_in(ENVIRONMENT.home)
ALLOWED_HOSTS = list(ENVIRONMENT.allowed_hosts)

INSTALLED_APPS = [
    "messaging.journal",
    "messaging.mailbox",
    "messaging.roster",
    "messaging.transcript",
    "messaging.actions",
    "collab.processes",
    "collab.api",
    "collab.agentapi",
    "collab.live",
    "collab.web",
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "ninja",
    # After Django's own apps, whose entries in the back office it takes away.
    "collab.moderation",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "collab.security.ContentSecurityPolicy",
    "collab.security.NoNul",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
ROOT_URLCONF = "collab.urls"
ASGI_APPLICATION = "collab.asgi.application"

DATABASES = {
    "default": dict(ENVIRONMENT.database),
    # What agents may see, read as they would read it. It is never migrated by itself.
    "agents": dict(ENVIRONMENT.agents_database) | {"TEST": {"MIRROR": "default"}},
}

UNFOLD = {
    "SITE_TITLE": "Earshot",
    "SITE_HEADER": "Earshot, back office",
    "SITE_URL": "/",
    "SHOW_HISTORY": False,
}

AUTH_USER_MODEL = "roster.Account"
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/sign-in/"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

SESSION_COOKIE_NAME = "earshot_session"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = ENVIRONMENT.https
CSRF_COOKIE_NAME = "earshot_csrf"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = ENVIRONMENT.https
CSRF_TRUSTED_ORIGINS = [ENVIRONMENT.public_url] if ENVIRONMENT.public_url else []
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if ENVIRONMENT.https else 0
# Only whoever says that the public address is https may have a proxy that says so for each request.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ENVIRONMENT.https else None
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "collab.web.views.errors.csrf_failure"
# Any text is bounded by 64 KiB; files come by their own path with their own bound.
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

STATIC_URL = "/static/"
STATIC_ROOT = ENVIRONMENT.home / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "collab.static_files.HashedStorage"
    },
}
# Tries to sign in are counted here, so in a fleet all its processes must count together.
if ENVIRONMENT.redis_url:
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": ENVIRONMENT.redis_url,
            "OPTIONS": {"serializer": "collab.settings.plain.Plain"},
        }
    }

vars().update(ENVIRONMENT.email)
DEFAULT_FROM_EMAIL = "earshot@localhost"
