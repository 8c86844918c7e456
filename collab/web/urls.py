"""Addresses of the pages."""

from django.urls import path

from collab.web.views import (
    asks,
    bring,
    deeds,
    forks,
    icon,
    join,
    manage,
    privately,
    say,
    seat,
    session,
    sessions,
    sign_in,
    trail,
    turns,
)

app_name = "web"
urlpatterns = [
    path("", sessions.index, name="sessions"),
    path("asks", asks.index, name="asks"),
    path("asks/<str:ask>/answer", asks.answer, name="answer"),
    path("open", sessions.open_one, name="open"),
    path("favicon.ico", icon.icon, name="icon"),
    path("sign-in/", sign_in.sign_in, name="sign-in"),
    path("sign-in/<str:code>", sign_in.by_link, name="link"),
    path("sign-out/", sign_in.sign_out, name="sign-out"),
    path("join/<str:code>", join.join, name="join"),
    path("s/<str:slug>/", session.show, name="session"),
    path("s/<str:slug>/post", say.say, name="post"),
    path("s/<str:slug>/part/<str:name>", session.part, name="part"),
    path("s/<str:slug>/as/<str:handle>/", seat.see_as, name="seat"),
    path("s/<str:slug>/m/<str:message>/", trail.show, name="trail"),
    path("s/<str:slug>/m/<str:message>/<str:name>", deeds.deed, name="deed"),
    path("s/<str:slug>/manage", manage.manage, name="manage"),
    path("s/<str:slug>/fork", forks.fork_it, name="fork"),
    path("s/<str:slug>/back", forks.back, name="back"),
    path("s/<str:slug>/bring", bring.bring, name="bring"),
    path("s/<str:slug>/stop", turns.stop, name="stop"),
    path("s/<str:slug>/privately", privately.privately, name="privately"),
    path("s/<str:slug>/new", turns.new, name="new"),
]
