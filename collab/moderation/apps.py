"""The back office as a Django app."""

from django.apps import AppConfig


class ModerationConfig(AppConfig):
    """Registers what may be looked at; nothing is changed past the actions."""

    name = "collab.moderation"
    label = "moderation"
