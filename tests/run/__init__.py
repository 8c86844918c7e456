"""Runs the checks in stages: `python -m tests.run all`, `check`, or stages by name."""
