"""Sockets by path."""
from django.urls import path

from collab.live.consumer import SessionConsumer

websocket_urlpatterns = [path("ws/sessions/<str:session>", SessionConsumer.as_asgi())]
