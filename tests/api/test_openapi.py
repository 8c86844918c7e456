"""The OpenAPI document tried out: whatever it allows is answered as it says, and nothing breaks.

Bounded and derandomised, so that a run is the same on every machine.
"""

from __future__ import annotations

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.cast import Room, token

pytestmark = pytest.mark.django_db(databases=["default", "agents"], transaction=True)
schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
BOUNDED = settings(
    max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)


@pytest.fixture
def ask():
    """Asks as somebody, once for each example, in the demo session where the path names one."""
    Room.open()
    secrets = {who: token(who) for who in ("alex", "scout")}

    def run(case, who):
        if "session" in (case.path_parameters or {}):
            case.path_parameters["session"] = "welcome"
        return case.call_and_validate(headers={"Authorization": f"Bearer {secrets[who]}"}, checks=CHECKS)

    return run


@schema.parametrize()
@BOUNDED
def test_the_document_holds_for_its_owner(case, ask):
    assert ask(case, "alex").status_code not in (401, 500)


@schema.parametrize()
@settings(BOUNDED, max_examples=4)
def test_the_document_holds_for_an_agent(case, ask):
    assert ask(case, "scout").status_code not in (401, 500)
