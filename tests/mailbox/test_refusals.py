"""The database's own refusals: every legal move and no other, one row a step, no state without its row.

Each refusal has its control: the same statement with the legal values goes through.
"""

from __future__ import annotations

from itertools import pairwise, product
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from messaging.domain.disposition import TABLE, Disposition
from messaging.mailbox.models import Delivery, Purpose, Seat, Transition, Turn, TurnStep
from messaging.mailbox.move import Move, move

pytestmark = pytest.mark.django_db


def refused(work) -> bool:
    """Whether the database itself says no."""
    try:
        with transaction.atomic():
            work()
    except IntegrityError:
        return True
    return False


@pytest.fixture
def seat():
    return Seat.objects.create(session=uuid4(), agent=uuid4(), handle="mirror", name="Mirror", kind="hosted")


def born(seat, state="", **fields):
    """A delivery walked to a state by the shortest way, steps and all."""
    now = timezone.now()
    path = ["", *walk(state)]
    delivery = Delivery(
        id=uuid4(), seat=seat, message=uuid4(), place=seat.placed + 1, purpose=Purpose.INPUT, author="alex",
        author_kind="human", author_name="Alex", text="hi", audience="active_agent", said_at=now, changed_at=now,
        state=path[-1], step=len(path) - 1, **fields,
    )  # fmt: skip
    seat.placed += 1
    for n, (before, after) in enumerate(pairwise(path), 1):
        Transition.objects.create(delivery=delivery, step=n, before=before, after=after, by="test", at=now)
    delivery.save(force_insert=True)
    return delivery


def walk(state):
    """The states on a shortest way to one."""
    ways = {"": []}
    while state not in ways:
        for known, path in list(ways.items()):
            for after in TABLE.moves.get(known, ()):
                ways.setdefault(after, [*path, after])
    return ways[state]


def step(delivery, before, after, n=None):
    return Transition(
        delivery=delivery, step=n or delivery.step + 1, before=before, after=after, by="test", at=timezone.now()
    )


def raw(delivery, state):
    """A state written past every rule of ours but the database's."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE mailbox_delivery SET state = %s, step = step + 1 WHERE id = %s",
            [state, delivery.id.hex if connection.vendor == "sqlite" else delivery.id],
        )


@pytest.mark.parametrize(("before", "after"), list(product(Disposition, Disposition)))
def test_a_step_is_taken_exactly_if_the_table_has_it(seat, before, after):
    delivery = born(seat, before)
    assert refused(lambda: step(delivery, before, after).save()) is not TABLE.allows(before, after)


def test_a_state_needs_its_step(seat):
    delivery = born(seat, "queued")
    assert refused(lambda: raw(delivery, "delivered"))
    step(delivery, "queued", "delivered").save()
    assert not refused(lambda: raw(delivery, "delivered"))


def test_a_state_is_no_other_than_its_steps(seat):
    delivery = born(seat, "queued")
    step(delivery, "queued", "rejected").save()
    assert refused(lambda: raw(delivery, "delivered"))
    assert not refused(lambda: raw(delivery, "rejected"))


def test_a_step_follows_the_one_before_it(seat):
    delivery = born(seat, "queued")
    assert refused(lambda: step(delivery, "accepted", "rejected").save())
    assert refused(lambda: step(delivery, "queued", "delivered", n=5).save())
    assert not refused(lambda: step(delivery, "queued", "delivered").save())


def test_there_is_one_row_a_step(seat):
    delivery = born(seat, "queued")
    step(delivery, "queued", "delivered").save()
    assert refused(lambda: step(delivery, "queued", "rejected").save())


def test_nothing_is_born_in_a_state_without_steps(seat):
    now = timezone.now()
    fields = {
        "seat": seat, "message": uuid4(), "place": 7, "purpose": "input", "author": "alex", "author_kind": "human",
        "author_name": "Alex", "text": "hi", "audience": "active_agent", "said_at": now, "changed_at": now,
    }  # fmt: skip
    assert refused(lambda: Delivery.objects.create(state="delivered", step=1, **fields))


def test_a_step_once_written_stays(seat):
    delivery = born(seat, "queued")
    last = delivery.transitions.order_by("step").last()
    for change in ({"by": "somebody"}, {"retryable": True}, {"turn": uuid4()}, {"reason": "another"}):
        assert refused(lambda change=change: Transition.objects.filter(id=last.id).update(**change))
    assert not refused(lambda: Transition.objects.filter(id=last.id).update(journaled=True))


@pytest.mark.parametrize(("audience", "no"), [("participants", True), ("participant", True), ("everyone", False)])
def test_no_row_of_the_mailbox_bears_an_audience_of_people_alone(seat, audience, no):
    delivery = born(seat, "queued")
    assert refused(lambda: Delivery.objects.filter(id=delivery.id).update(audience=audience)) is no


def test_a_seat_has_one_running_turn(seat):
    def begin():
        turn = Turn(id=uuid4(), seat=seat, input=born(seat, "delivered"), state="running", step=1,
                    started_at=timezone.now())  # fmt: skip
        TurnStep.objects.create(turn=turn, step=1, before="", after="running", by="agents", at=timezone.now())
        turn.save(force_insert=True)
        return turn

    first = begin()
    assert refused(begin)
    TurnStep.objects.create(turn=first, step=2, before="running", after="finished", by="agents", at=timezone.now())
    Turn.objects.filter(id=first.id).update(state="finished", step=2)
    assert not refused(begin)


def test_a_turns_state_needs_its_step_too(seat):
    delivery = born(seat, "delivered")
    fields = {"seat": seat, "input": delivery, "state": "running", "step": 1, "started_at": timezone.now()}
    assert refused(lambda: Turn.objects.create(**fields))


def test_move_is_compare_and_set(seat):
    delivery = born(seat, "queued")
    won = move([Move(delivery.id, Disposition.QUEUED, Disposition.SUPERSEDED, "mo", "withdrawn")])
    lost = move([Move(delivery.id, Disposition.QUEUED, Disposition.DELIVERED, "agents")])
    delivery.refresh_from_db()
    assert (len(won), len(lost)) == (1, 0)
    assert (delivery.state, delivery.reason, delivery.step) == ("superseded", "withdrawn", 3)


def test_move_takes_many_with_a_number_of_queries_that_does_not_grow(seat, django_assert_num_queries):
    few, many = [born(seat, "queued") for _ in range(2)], [born(seat, "queued") for _ in range(20)]
    for rows in (few, many):
        wishes = [Move(row.id, Disposition.QUEUED, Disposition.DELIVERED, "agents") for row in rows]
        with django_assert_num_queries(3):
            assert len(move(wishes)) == len(rows)
