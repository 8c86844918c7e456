"""Who acts where no person's and no agent's name stands behind a step."""

from __future__ import annotations

#: The server itself, or whoever sits at its command line.
HOUSE = "house"
#: The process of hosted agents.
AGENTS = "agents"
