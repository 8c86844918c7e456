"""Only what is bound for agents gets into the mailbox, whatever the type checker was told."""

from __future__ import annotations

import pytest
from django.utils import timezone

from messaging.domain.audience import ActiveAgent, Agents, Everyone, Participants, People, System
from messaging.domain.envelope import Envelope, FromKind
from messaging.mailbox.models import Delivery, Purpose, Seat
from messaging.mailbox.put import Letter, put

pytestmark = pytest.mark.django_db


def letter(audience, place=0):
    from uuid import uuid4

    seat = Seat.objects.create(session=uuid4(), agent=uuid4(), handle="mirror", name="Mirror", kind="hosted")
    return Letter(
        seat,
        uuid4(),
        audience,
        Purpose.INPUT,
        Envelope(FromKind.HUMAN, "alex"),
        "Alex",
        "hi",
        timezone.now(),
        cleared=True,
    )


@pytest.mark.parametrize("audience", [Participants(), People(("sam",)), System()])
def test_what_is_for_people_alone_is_refused_and_nothing_is_written(audience):
    good = letter(ActiveAgent())
    with pytest.raises(TypeError):
        put([good, letter(audience)])
    assert not Delivery.objects.exists()


@pytest.mark.parametrize("audience", [ActiveAgent(), Agents(("mirror",)), Everyone()])
def test_what_is_bound_for_agents_is_put_with_its_two_steps(audience):
    [(delivery, steps)] = put([letter(audience)])
    delivery.refresh_from_db()
    assert (delivery.state, delivery.step, delivery.place, delivery.number) == ("queued", 2, 1, None)
    assert [one.after for one in steps] == ["accepted", "queued"]
