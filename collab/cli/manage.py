"""`earshot manage COMMAND`: Django's commands for the house, also where Earshot was installed without its checkout."""

from __future__ import annotations

import argparse
import os


def run(chosen: argparse.Namespace) -> None:
    """Run the command with the rest of the line; it speaks and exits as Django's commands do."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collab.settings.house")
    from django.core.management import execute_from_command_line

    execute_from_command_line(["earshot manage", *chosen.words])
