"""Pure rules. Standard library only: no clock, no process, no network, no database."""
