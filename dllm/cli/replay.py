"""`replay`: show a trace again, without a model."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from unmask.canvas.text import printable
from unmask.cli.screen import Screen

if TYPE_CHECKING:
    from unmask.run.timeline import Timeline

HELP = "show a trace again, without a model"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file")
    parser.add_argument("--pace", type=float, default=0.05, help="seconds a pass")


def run(options: argparse.Namespace) -> int:
    """Show every run of the file, pass by pass."""
    from unmask.run.trace import Seal, load

    trace = load(options.file)
    if trace.seal is not Seal.WHOLE:
        print(f"this file is {trace.seal.value}", file=sys.stderr)
    for recorded in trace.runs:
        path = recorded.head.path()
        with Screen(_pieces(recorded), recorded.about.get("ends", ()), False) as screen:
            for node in path:
                screen.show(node.canvas, node.frame)
                time.sleep(options.pace)  # the pace of the replay; no result is awaited
        passes = sum(node.frame is not None for node in path)
        card = recorded.about.get("model", {})
        by = f"{card.get('name', 'an unnamed model')}, weights {card.get('weights', 'unknown')[:16]}"
        if "source" in recorded.about:
            by = f"{card.get('name', 'an unnamed model')}, recorded by {recorded.about['source'] or 'another program'}"
        edits = len(path) - 1 - passes
        print(
            printable(f"replay: {passes} passes, {edits} edits; made, according to the file, with {by}"),
            file=sys.stderr,
        )
    return 0


def _pieces(run: Timeline) -> Callable[[int], str]:
    return lambda token: run.pieces.get(token, f" {token}")
