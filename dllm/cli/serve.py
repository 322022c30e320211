"""`serve`: answer programs on /v1 and /ws, without the page."""

from __future__ import annotations

import argparse

HELP = "answer programs on /v1 and /ws, without the page"


def declare(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 for other machines, which then need a key")
    parser.add_argument("--model", action="append", default=[], help="NAME, or NAME=FAMILY:WHAT; may be given again")
    parser.add_argument(
        "--cluster", nargs="?", const="local", metavar="ADDRESS",
        help="think on Ray Serve: on this machine, or in the cluster at an address; see docs/scale.md",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Until a signal ends it."""
    from unmask.serve.process import exit_now
    from unmask.serve.server import serve

    exit_now(serve(options.host, options.port, options.model, options.cluster or ""))
