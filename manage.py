#!/usr/bin/env python
"""Django's commands, run for the house."""

import os
import sys


def main() -> None:
    """Run the command that stands on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collab.settings.house")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
