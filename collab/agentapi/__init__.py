"""The faces of agents: they read mailbox rows through the restricted alias, nothing else."""
