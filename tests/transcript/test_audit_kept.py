"""The audit log only grows: the database refuses all else, whoever asks by the house's own connection."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction
from django.db.models.signals import post_migrate
from django.utils import timezone

from messaging.domain.audit import Verb
from messaging.transcript import triggers
from messaging.transcript.models import AuditEntry
from tests.isolation.conftest import as_agents, denied  # noqa: F401 -- fixtures

pytestmark = pytest.mark.django_db(transaction=True)


def entry() -> AuditEntry:
    return AuditEntry.objects.create(at=timezone.now(), actor="alex", verb=Verb.READ)


def run(sql: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


CHANGES = {
    "an update": "UPDATE transcript_auditentry SET actor = 'sam'",
    "an update of the same": "UPDATE transcript_auditentry SET actor = actor",
    "a deletion": "DELETE FROM transcript_auditentry",
}


@pytest.mark.parametrize("sql", CHANGES.values(), ids=CHANGES)
def test_an_entry_is_neither_changed_nor_taken_away(sql):
    entry()
    with pytest.raises(DatabaseError, match="an entry stays as it was written"):
        run(sql)
    assert AuditEntry.objects.get().actor == "alex"


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no TRUNCATE")
def test_nor_is_the_table_emptied_at_once():
    entry()
    with pytest.raises(DatabaseError, match="an entry stays as it was written"):
        run("TRUNCATE transcript_auditentry")
    assert AuditEntry.objects.count() == 1


def test_the_models_own_ways_are_refused_alike():
    row = entry()
    row.actor = "sam"
    for change in (row.save, row.delete, AuditEntry.objects.all().delete):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    assert AuditEntry.objects.get().actor == "alex"


def test_the_control_entries_are_added_and_without_the_triggers_they_could_be_changed():
    entry()
    entry()
    for line in triggers.removal(connection.vendor):
        run(line)
    run(CHANGES["an update"])
    assert set(AuditEntry.objects.values_list("actor", flat=True)) == {"sam"}


def test_a_migration_that_remakes_the_table_leaves_it_kept():
    """The signal follows each migration; without it nothing would be refused any more."""
    entry()
    for line in triggers.removal(connection.vendor):
        run(line)
    config = apps.get_app_config("transcript")
    post_migrate.send(
        sender=config, app_config=config, verbosity=0, interactive=False, using="default", plan=[], apps=apps
    )
    with pytest.raises(DatabaseError, match="an entry stays as it was written"):
        run(CHANGES["a deletion"])


def test_agents_neither_read_nor_write_it(as_agents, denied):  # noqa: F811
    entry()
    assert denied(as_agents, "SELECT actor FROM transcript_auditentry")
    assert denied(as_agents, "DELETE FROM transcript_auditentry")
    assert denied(as_agents, "INSERT INTO transcript_auditentry (actor) VALUES ('forged')")
    assert not denied(as_agents, "SELECT count(*) FROM mailbox_delivery")
