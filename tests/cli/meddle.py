"""`earshot` with a fault: one text is altered there between copying and comparing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from collab.cli import main as cli
from collab.cli import move_rows

WHOLE = move_rows._untriggered
ALTER = "UPDATE transcript_message SET text = text || '.' WHERE seq = (SELECT max(seq) FROM transcript_message)"


@contextmanager
def meddled() -> Iterator[None]:
    """Copies as ever, and then changes one row."""
    from django.db import connection

    with WHOLE():
        yield
    with connection.cursor() as cursor:
        cursor.execute(ALTER)


move_rows._untriggered = meddled
sys.exit(cli.main(sys.argv[1:]))
