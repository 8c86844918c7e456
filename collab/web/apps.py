"""The browser's face as a Django app (templates, static files, tags)."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Holds no models."""

    name = "collab.web"
    label = "web"
