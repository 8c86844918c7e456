"""Numbers without holes, once each; pokes on commit and never otherwise."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from messaging.journal import clock, poke
from messaging.journal.models import Clock, Entry, Kind
from messaging.journal.poke import Poke


@pytest.fixture
def heard():
    pokes: list[list[Poke]] = []
    poke.local.listeners.append(pokes.append)
    yield pokes
    poke.local.listeners.remove(pokes.append)


@pytest.mark.django_db
def test_numbers_go_on_without_holes():
    session = clock.start(uuid4()).session
    for wanted in ([1, 2], [3]):
        held = clock.lock([session])[session]
        assert clock.append(held, [(Kind.MESSAGE, uuid4()) for _ in wanted]) == wanted


@pytest.mark.django_db
def test_a_thing_is_journaled_once_for_all_sessions_and_again_only_as_another_kind():
    one, other, ref = clock.start(uuid4()), clock.start(uuid4()), uuid4()
    clock.append(one, [(Kind.MESSAGE, ref)])
    with pytest.raises(IntegrityError), transaction.atomic():
        clock.append(other, [(Kind.MESSAGE, ref)])
    clock.append(Clock.objects.get(session=one.session), [(Kind.TURN, ref)])
    assert Entry.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_poke_follows_the_commit(heard):
    with transaction.atomic():
        held = clock.start(uuid4())
        clock.append(held, [(Kind.MESSAGE, uuid4())])
        assert heard == []
    assert heard == [[Poke(held.session, 1)]]


@pytest.mark.django_db(transaction=True)
def test_what_rolls_back_pokes_nobody(heard):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        clock.append(clock.start(uuid4()), [(Kind.MESSAGE, uuid4())])
        raise ZeroDivisionError
    assert heard == []
    assert not Entry.objects.exists()


@pytest.mark.parametrize("one", [Poke(uuid4(), 7), Poke(uuid4(), turn=uuid4())])
def test_what_travels_between_processes_is_ids_and_a_number(one):
    assert poke.decode(poke.encode([one], "here")) == ("here", [one])


HUGE = b'{"from":"x","pokes":[["00000000-0000-4000-8000-000000000000",1e400,null]]}'


@pytest.mark.parametrize("raw", [b"", b"{}", b"[]", b'{"from": "x"}', b"\xff", HUGE, b"[" * 100_000])
def test_nonsense_is_no_poke(raw):
    assert poke.decode(raw) is None
