"""A temporary table of the agents' role does not stand before the real one in a trigger's eyes."""

from __future__ import annotations

import psycopg
import pytest
from django.db import connection

from tests.cast import Room

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="the authorizer refuses temporary tables altogether"),
]
COLUMNS = "(id, delivery_id, step, before, after, reason, by, at, journaled, retryable)"
STEP = (
    f"INSERT INTO public.mailbox_transition {COLUMNS} SELECT gen_random_uuid(), id, 3, 'queued', 'responded', '', 'x', "
    "now(), false, false FROM public.mailbox_delivery"
)
FORGED = STEP.replace("'responded'", "'delivered'").replace("false, false", "true, false")
MOVE = "UPDATE public.mailbox_delivery SET state = 'responded', step = step + 1"


@pytest.fixture
def shadowed(as_agents):
    Room.open().say("alex", "for mirror", "active_agent")
    as_agents("CREATE TEMP TABLE mailbox_transition (LIKE public.mailbox_transition)")
    as_agents("INSERT INTO pg_temp.mailbox_transition SELECT * FROM public.mailbox_transition")
    return as_agents


def test_the_houses_mark_is_not_forged_behind_it(shadowed):
    with pytest.raises(psycopg.Error, match="the mark is the house's"):
        shadowed(FORGED)


def test_no_state_goes_without_its_step_behind_it(shadowed):
    shadowed(STEP.replace("public.mailbox_transition", "pg_temp.mailbox_transition"))
    with pytest.raises(psycopg.Error, match="a state without its step"):
        shadowed(MOVE)
