"""The database, its tables and who owns the installation."""

from __future__ import annotations

from collab.cli.checks.line import Line, failed, ok
from collab.environment import Environment


def database() -> Line:
    """Whether it answers, and what it is. Raises OperationalError where the driver gave up waiting for a word of it."""
    from django.db import DatabaseError, connection

    from collab.processes import patience, status

    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        if patience.timed_out(error):
            raise
        return failed("database", f"does not answer ({type(error).__name__}): see DATABASE_URL, and whether it runs")
    return ok("database", status.engine())


def migrations() -> Line:
    """Whether the tables are this version's."""
    from collab.processes import schema

    names = schema.pending()
    if not names:
        return ok("migrations", "all are applied")
    return failed("migrations", f"{len(names)} to apply, first {names[0]}: the database {schema.NOT_MIGRATED}")


def owner(found: Environment) -> Line:
    """Whether somebody owns it who can sign in, and who is no person of the demo."""
    from messaging.actions import leave_demo
    from messaging.roster.models import Installation

    row = Installation.objects.select_related("owner__handle", "owner__account").first()
    person = row.owner if row else None
    if person is None:
        return failed("owner", "nobody owns this installation: `earshot init` names an owner")
    handle = person.handle.spelled
    if found.configuration.owner not in ("", handle):
        how = "`earshot demo leave` or the file has to change"
        return failed("owner", f"EARSHOT_CONFIG names {found.configuration.owner}, and {handle} owns it: {how}")
    if person.account is None or not person.account.is_active:
        return failed("owner", f"{handle} has no account that may sign in: enable it, or `earshot demo leave`")
    if handle in leave_demo.CAST and leave_demo.plan() is not None:
        return ok("owner", f"{handle}, of the demo: `earshot demo leave` names one of your own")
    return ok("owner", handle)
