"""Settings of everything but the agents' process: web, worker, beat and the commands."""

import os

from django.templatetags.static import static
from django.urls import reverse_lazy

from collab import environment, secret
from collab.settings.base import *  # noqa: F403

ENVIRONMENT = environment.read(os.environ)

CONFIGURATION = ENVIRONMENT.configuration
#: What messaging reads of it.
LIMITS = CONFIGURATION.limits

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
    "SITE_ICON": lambda _request: static("web/icon.svg"),
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda _request: static("web/icon.svg")}],
    "SHOW_HISTORY": False,
    # The pages' own indigo and paper, from light to dark.
    "COLORS": {
        "primary": {
            "50": "oklch(97% .016 280)",
            "100": "oklch(94% .03 280)",
            "200": "oklch(89% .058 280)",
            "300": "oklch(81% .095 280)",
            "400": "oklch(72% .13 280)",
            "500": "oklch(66% .14 280)",
            "600": "oklch(50% .17 277)",
            "700": "oklch(46% .17 277)",
            "800": "oklch(39% .14 277)",
            "900": "oklch(33% .11 277)",
            "950": "oklch(25% .085 277)",
        },
        "base": {
            "50": "oklch(98.5% .003 85)",
            "100": "oklch(96.7% .005 85)",
            "200": "oklch(91.5% .006 80)",
            "300": "oklch(87% .008 80)",
            "400": "oklch(71% .012 80)",
            "500": "oklch(52% .014 70)",
            "600": "oklch(44.6% .014 70)",
            "700": "oklch(37% .012 75)",
            "800": "oklch(28% .01 75)",
            "900": "oklch(20.5% .008 75)",
            "950": "oklch(14% .006 75)",
        },
    },
    "SIDEBAR": {
        "navigation": [
            {
                "items": [
                    {"title": "Status", "link": reverse_lazy("status")},
                    *(
                        {"title": title, "link": reverse_lazy(f"admin:{model}_changelist")}
                        for title, model in (
                            ("People", "roster_person"),
                            ("Agents", "roster_agent"),
                            ("Sources", "mailbox_source"),
                            ("Sessions", "roster_session"),
                            ("Messages", "transcript_message"),
                            ("Audit log", "transcript_auditentry"),
                        )
                    ),
                ],
            },
            {
                "title": "Internals",
                "separator": True,
                "collapsible": True,
                "items": [
                    {"title": title, "link": reverse_lazy(f"admin:{model}_changelist")}
                    for title, model in (
                        ("Accounts", "roster_account"),
                        ("Handles", "roster_handle"),
                        ("Memberships", "roster_membership"),
                        ("Membership changes", "roster_membershipchange"),
                        ("Sign-in links", "roster_signinlink"),
                        ("Tokens", "roster_token"),
                        ("Spends", "roster_spend"),
                        ("Installations", "roster_installation"),
                        ("Addressees", "transcript_addressee"),
                        ("Seats", "mailbox_seat"),
                        ("Deliveries", "mailbox_delivery"),
                        ("Transitions", "mailbox_transition"),
                        ("Turns", "mailbox_turn"),
                        ("Turn steps", "mailbox_turnstep"),
                        ("Attempts", "mailbox_attempt"),
                        ("Utterances", "mailbox_utterance"),
                        ("Clocks", "journal_clock"),
                        ("Entries", "journal_entry"),
                    )
                ],
            },
        ],
    },
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

SESSION_COOKIE_NAME = f"earshot_session{ENVIRONMENT.cookie_suffix}"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = ENVIRONMENT.https
CSRF_COOKIE_NAME = f"earshot_csrf{ENVIRONMENT.cookie_suffix}"
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
