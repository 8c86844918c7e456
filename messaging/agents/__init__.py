"""Hosted agents, in an operating-system process of their own. Stands on the mailbox and the rules alone."""
