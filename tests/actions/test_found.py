"""An installation gets an owner and a first session, once."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from messaging.actions.enrol import Taken, add_person
from messaging.actions.found import Owned, found
from messaging.actions.own import own
from messaging.domain.capability import Role
from messaging.roster.models import Account, Installation, Membership, Person, Session

pytestmark = pytest.mark.django_db


def test_the_owner_is_staff_and_owns_the_first_session_and_there_is_no_agent_and_no_demo():
    session = found("kim", name="Kim", email="kim@example.org", title="Our kitchen")
    owner = Installation.the().owner
    assert (owner.handle.spelled, owner.name, owner.email) == ("kim", "Kim", "kim@example.org")
    assert (owner.account.is_staff, owner.account.is_superuser, owner.account.has_usable_password()) == (
        True,
        True,
        False,
    )
    assert (session.title, session.slug, session.active_agent) == ("Our kitchen", "our-kitchen", None)
    assert [(row.person, row.role) for row in Membership.objects.filter(session=session)] == [(owner, Role.OWNER)]
    assert not Session.objects.filter(slug="welcome").exists()


def test_a_second_time_is_refused_and_changes_nothing():
    found("kim")
    with pytest.raises(Owned) as refused:
        found("xan")
    assert refused.value.owner == "kim"
    assert Installation.the().owner.handle.spelled == "kim"
    assert not Person.objects.filter(handle__spelled="xan").exists()


def test_somebody_who_is_there_already_keeps_name_and_address():
    add_person("kim", name="Kim", email="kim@example.org")
    found("kim", name="Other", email="other@example.org")
    kim = Person.objects.get()
    assert (kim.name, kim.email, kim.account.is_staff) == ("Kim", "kim@example.org", True)


def test_an_account_that_django_made_gets_its_person():
    Account.objects.create_superuser("root", "root@example.org", "a long pass phrase")
    found("root")
    assert Installation.the().owner.account.username == "root"


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ({"handle": "Bad handle!"}, "handle"),
        ({"handle": "everyone"}, "handle"),
        ({"handle": "kim", "email": "nowhere"}, "email"),
        ({"handle": "kim", "name": "x" * 81}, "name"),
        ({"handle": "kim", "name": "\x00"}, "name"),
        ({"handle": "kim", "title": " "}, "title"),
    ],
)
def test_what_cannot_be_taken_is_named_and_nothing_is_left_behind(words, field):
    with pytest.raises(ValidationError) as refused:
        found(**words)
    assert list(refused.value.message_dict) == [field]
    assert Installation.the().owner is None
    assert not Person.objects.exists()


def test_a_handle_that_collides_is_refused():
    add_person("kim-li")
    with pytest.raises(Taken):
        found("Kim_Li")
    assert Installation.the().owner is None


@pytest.mark.parametrize("gone", ["no account", "disabled"])
def test_who_could_not_sign_in_cannot_own_it(gone):
    person = add_person("kim")
    if gone == "disabled":
        Account.objects.update(is_active=False)
    else:
        Person.objects.update(account=None)
    with pytest.raises(ValidationError):
        own("kim")
    assert Installation.the().owner is None
    assert not Account.objects.filter(id=person.account_id, is_staff=True).exists()


@pytest.mark.parametrize(("title", "slug"), [("Home", "home"), ("Open", None), ("日本", None), ("a.b", "a-b")])
def test_the_slug_is_the_title_s_word_or_a_random_one(title, slug):
    session = found("kim", title=title)
    assert session.slug == slug if slug else session.slug not in ("open", "")


def test_a_change_of_owner_is_seen_by_whoever_keeps_to_the_epoch():
    before = Installation.epoch_now()
    own("kim")
    assert Installation.epoch_now() > before
