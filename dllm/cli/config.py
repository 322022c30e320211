"""`config`: every variable of the environment, and what it is now."""

from __future__ import annotations

import argparse
import os

HELP = "every variable of the environment, and what it is now"


def declare(_: argparse.ArgumentParser) -> None:
    """It has no options."""


def run(_: argparse.Namespace) -> int:
    """As a table."""
    from unmask.config import lines

    print("\n".join(lines(os.environ)))
    return 0
