"""The agents' database connection: it has the mailbox, and is refused everything else, by trying."""

from __future__ import annotations

from collections.abc import Iterator

from collab.cli.checks.line import Line, failed, mended, ok

ALIAS = "agents"
ROLE = "agents' role"
WALL = "agents' wall"
MAILBOX = "agents' mailbox"
REFUSALS = ("permission denied", "not authorized", "authorization denied", "prohibited", "must be owner")
HOW = "`earshot check --fix` renews its grants, or a superuser runs what that prints"
ATTRIBUTES = ("rolsuper", "rolcreaterole", "rolcreatedb", "rolreplication", "rolbypassrls")


def agents_role(*, fix: bool) -> list[Line]:
    """Try the agents' own connection, and where asked make its role and renew its rights."""
    from django.db import connection

    if connection.vendor == "sqlite":
        return list(_look_through())
    return mended(lambda: list(_look()), _mend, fix=fix)


def _look() -> Iterator[Line]:
    role = _role()
    if not _exists(role):
        yield failed(ROLE, f"{role} is not there: `earshot check --fix` makes it, if your role has CREATEROLE")
        return
    if why := _cannot_log_in():
        yield failed(ROLE, f"{role} cannot log in ({why}): see AGENTS_DATABASE_URL, or --fix sets its password")
        return
    powers = [*_powers(role), *(f"member of {name}" for name in _memberships(role))]
    if powers:
        yield failed(ROLE, f"{role} may too much ({', '.join(powers)}): name a role that has none of it")
    else:
        yield ok(ROLE, f"{role} logs in and is nothing but itself")
    yield from _look_through()


def _look_through() -> Iterator[Line]:
    """The wall by trying: each table that is not the mailbox's, a forged text, and the mailbox as the control."""
    from messaging.mailbox.permits import PERMITS, WORDS, WORDS_WITHIN

    own = [permit.table for permit in PERMITS]
    others = [table for table in _tables() if table not in (*own, WORDS, *WORDS_WITHIN)]
    open_ones = [table for table in others if not refused(_reading(table))]
    if open_ones:
        yield failed(WALL, f"agents can read {', '.join(open_ones)}: {HOW}")
    elif not refused("UPDATE mailbox_delivery SET text = 'forged' WHERE 1 = 0"):
        yield failed(WALL, f"agents can rewrite what they were shown: {HOW}")
    else:
        yield ok(WALL, f"{refused(_reading(others[-1]))!r} for the transcript and all {len(others)} other tables")
    shut = [table for table in own if refused(_reading(table))]
    if shut:
        yield failed(MAILBOX, f"agents cannot read {', '.join(shut)}: {HOW}")
    else:
        yield ok(MAILBOX, f"agents can read its {len(own)} tables")


def _reading(table: str) -> str:
    return f'SELECT count(*) FROM "{table}" WHERE 1 = 0'  # noqa: S608 -- a name that the database itself has given


def refused(sql: str) -> str:
    """Return the database's own words for a refused statement of the agents, or nothing where it was run."""
    from django.db import DatabaseError, connections

    try:
        with connections[ALIAS].cursor() as cursor:
            cursor.execute(sql)
    except DatabaseError as error:
        words = str(error).splitlines()[0]
        if not any(word in words.lower() for word in REFUSALS):
            raise
        return words
    return ""


def _tables() -> list[str]:
    """Every table of the database, the transcript last, so that its refusal is the one that is shown."""
    from django.db import connection

    names = connection.introspection.table_names()
    return sorted(names, key=lambda name: (name == "transcript_message", name))


def _role() -> str:
    from django.conf import settings

    return str(settings.DATABASES[ALIAS]["USER"])


def _exists(role: str) -> bool:
    return bool(_house("SELECT 1 FROM pg_roles WHERE rolname = %s", role))


def _powers(role: str) -> list[str]:
    columns = ", ".join(ATTRIBUTES)
    row = _house(f"SELECT {columns} FROM pg_roles WHERE rolname = %s", role)[0]  # noqa: S608 -- words of our own
    return [name.removeprefix("rol") for name, has in zip(ATTRIBUTES, row, strict=True) if has]


def _memberships(role: str) -> list[str]:
    sql = """SELECT g.rolname FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid
             JOIN pg_roles r ON r.oid = m.member WHERE r.rolname = %s"""
    return [name for (name,) in _house(sql, role)]


def _house(sql: str, *values: str) -> list[tuple[str, ...]]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def _cannot_log_in() -> str:
    from django.db import DatabaseError, connections

    connections[ALIAS].close()
    try:
        connections[ALIAS].ensure_connection()
    except DatabaseError as error:
        # The driver's words name the role and the host, never the password.
        return str(error).strip().splitlines()[-1].rpartition("FATAL:")[2].strip()
    return ""


def _mend() -> None:
    """Make the role or set its password where it cannot log in, and renew its rights; say what is refused."""
    from django.conf import settings
    from django.db import DatabaseError, connection
    from psycopg import sql

    from messaging.mailbox import grants

    role, password = _role(), settings.DATABASES[ALIAS].get("PASSWORD", "")
    if _exists(role) and _cannot_log_in() and password:
        line = sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(role), sql.Literal(password))
        try:
            with connection.cursor() as cursor:
                cursor.execute(line.as_string(cursor.connection))
        except DatabaseError:
            return
    grants.grant(role, password)
