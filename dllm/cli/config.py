"""`config`: list the environment variables and their values."""

from __future__ import annotations

import argparse
import os

HELP = "list the environment variables and their values"


def declare(_: argparse.ArgumentParser) -> None:
    """No options."""


def run(_: argparse.Namespace) -> int:
    """Print the table."""
    from unmask.config import lines

    print("\n".join(lines(os.environ)))
    return 0
