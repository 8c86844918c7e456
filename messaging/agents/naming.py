"""A title for the session, proposed by its agent's model between turns: of what it was told and said alone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from messaging.agents import context
from messaging.agents.context import Digest, Wish
from messaging.agents.providers.base import Provider
from messaging.agents.providers.guard import guarded
from messaging.domain import title
from messaging.domain.call import Spent
from messaging.mailbox import shown, titles, usage
from messaging.mailbox.models import Seat

#: The seat's first numbers, and their bytes, that a title is made of.
_NUMBERS, _BYTES = 8, 8 * 1024


def propose(seat: Seat, provider: Provider, look: Callable[[], None]) -> None:
    """Proposes one where it is wanted. look: called while the model is at work; what it raises ends that.

    Raises ProviderError.
    """
    if not titles.is_wanted(seat):
        return
    known = shown.newest(seat, _BYTES, until=min(seat.shown, seat.fresh_from + _NUMBERS))
    lines = context.digest_lines(seat, known.heard, known.said)
    if not any(isinstance(line, context.Said) for line in lines):
        return
    settings = context.settings_of(seat)
    wanted = Digest(Wish.TITLE, seat.handle, seat.name, lines, title.MOST_BYTES, settings)
    bits: list[str] = []
    with closing(guarded(provider.digest(wanted), seat)) as said:
        for bit in said:
            look()
            if isinstance(bit, Spent):
                usage.note(seat.id, usage.TITLE, bit.input_tokens, bit.output_tokens)
            elif isinstance(bit, str):
                bits.append(bit)
    text = title.of("".join(bits))
    if text:
        titles.propose(seat.id, text, known.first, known.last, {row.id for row in known.rows})
