"""`check`: whether a file is a trace, and if not, what is wrong with it and in which line."""

from __future__ import annotations

import argparse

HELP = "say whether a file is a trace that can be opened"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file")


def run(options: argparse.Namespace) -> int:
    """Read the whole file as the page does; a refusal is raised, and ends with status 2."""
    from unmask.canvas.text import printable
    from unmask.run.trace import load

    trace = load(options.file)
    for number, run in enumerate(trace.runs, 1):
        frames = [node.frame for node in run.nodes() if node.frame is not None]
        beliefs = sum(bool((frame.guess >= 0).any()) for frame in frames)
        elsewhere = f", recorded by {run.about['source'] or 'another program'}" if "source" in run.about else ""
        print(
            printable(
                f"run {number}: {len(frames)} passes, {beliefs} of them with beliefs, "
                f"{sum(frame.cost for frame in frames)} forwards, {len(run.head.canvas)} cells, "
                f"the text of {len(run.pieces)} tokens{elsewhere}"
            )
        )
    print(f"a trace, {trace.seal.value}")
    return 0
