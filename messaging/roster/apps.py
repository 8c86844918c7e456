"""The roster as a Django app."""

from django.apps import AppConfig


class RosterConfig(AppConfig):
    """People, agents, sessions, memberships, tokens."""

    name = "messaging.roster"
    label = "roster"
