"""People, agents, sessions, and the rights between them."""
