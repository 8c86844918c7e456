"""Sockets by path."""

from typing import Any

from django.urls import path

from collab.live.consumer import SessionConsumer

# Channels routes ASGI applications through Django's own path(), which is typed for views.
consumer: Any = SessionConsumer.as_asgi()
websocket_urlpatterns = [path("ws/sessions/<str:session>", consumer)]
