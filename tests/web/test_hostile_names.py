"""What people call themselves and their sessions, and the reasons they give, is text on every page that shows it."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from messaging.actions.invite import invite
from messaging.actions.reclassify import reclassify
from messaging.mailbox.models import Seat
from messaging.roster.models import Agent, Person, Session
from tests.cast import person
from tests.web.scene import PAGE, source, words

pytestmark = pytest.mark.django_db
#: Ends an attribute in either quotes, opens an element, and is a template's tag.
EVIL = "\"'><img src=x onerror=alert(1)></script><script>{{ 7|add:7 }}"


def evil(what: str) -> str:
    return f"{what}{EVIL}"


@pytest.fixture
def hostile(scene):
    """Everybody and everything there is called so; the id of a message that was opened for such a reason."""
    message = scene.say("sam", "kumquat")
    reclassify(person("mo"), message.id, "active_agent", evil("reason"), confirm=True)
    talk = scene.say("sam", "people only")
    link = invite(person("mo"), scene.session, "viewer", most=1).code
    for handle in ("sam", "mo", "xan"):
        Person.objects.filter(handle__spelled=handle).update(name=evil(handle))
    Agent.objects.filter(handle__spelled="mirror").update(name=evil("mirror"))
    Seat.objects.filter(handle="mirror").update(name=evil("mirror"))
    Session.objects.filter(id=scene.session.id).update(title=evil("title"))
    return {"message": message.id, "talk": talk.id, "link": link}


@pytest.mark.parametrize(
    ("who", "path", "form", "shown"),
    [
        ("mo", "m/{message}/edit", None, []),
        ("sam", "m/{message}/edit", None, ["title", "sam", "mirror"]),
        ("mo", "m/{message}/delete", None, ["title", "sam", "mirror"]),
        ("sam", "m/{message}/withdraw", None, ["title", "sam"]),
        ("sam", "m/{talk}/hearers", None, ["title", "sam", "mirror"]),
        ("sam", "m/{talk}/hearers", {"reason": evil("given")}, ["title"]),
        ("mo", "m/{message}/delete?part", {"reason": evil("given"), "text": "x"}, []),
        ("sam", "m/{talk}/edit", {"text": evil("given"), "revision": 7}, ["given"]),
        ("sam", "bring", None, ["title", "sam", "mirror"]),
        ("sam", "bring?m={talk}", None, ["title", "sam", "mirror"]),
        ("sam", "bring", {"m": "{talk}", "reason": evil("given")}, ["title", "sam"]),
        ("mo", "manage", None, ["title", "sam", "mo", "mirror"]),
        ("mo", "manage", {"do": "add", "handle": evil("given"), "role": "member"}, ["title"]),
        ("xan", "/join/{link}", None, ["title", "mo", "xan"]),
        ("xan", f"/join/{quote(EVIL, safe='')}", None, []),
        ("sam", "m/{message}/", None, ["title", "sam", "mo", "mirror", "reason"]),
        ("sam", "m/{message}/?part", None, ["mo", "mirror", "reason"]),
        ("sam", f"m/{{message}}/?agent={quote(EVIL)}", None, ["title"]),
    ],
)
def test_no_name_reason_or_title_is_markup(hostile, browser_of, who, path, form, shown):
    browser = browser_of(who)
    address = (path if path.startswith("/") else PAGE + path).format(**hostile)
    given = {
        name: value.replace("{talk}", hostile["talk"]) if name == "m" else value for name, value in (form or {}).items()
    }
    answer = browser.post(address, given) if form else browser.get(address)
    page = source(answer)
    assert "<img" not in page
    assert "<script>" not in page
    assert "onerror=alert(1)>" not in page
    # The control: they are there, in the very letters.
    for what in shown:
        assert " ".join(evil(what).split()) in words(answer), what
