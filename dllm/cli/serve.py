"""`serve`: serve the API on /v1 and /ws, without the page."""

from __future__ import annotations

import argparse

from unmask.extras import require
from unmask.models import split_models

HELP = "serve the API on /v1 and /ws, without the page"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 to accept other machines, which then need a key")
    parser.add_argument("--model", action="append", default=[], help="NAME, or NAME=FAMILY:WHAT; may be repeated")
    parser.add_argument("--mask-id", type=int, help="the mask token's id, of a model that does not state it")
    parser.add_argument(
        "--cluster", nargs="?", const="local", metavar="ADDRESS",
        help="infer on Ray Serve: on this machine, or in the cluster at an address; see docs/scale.md",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Serve until a signal stops it."""
    require("app", "the API")
    if options.cluster:
        require("cluster", "a cluster")
    from unmask.models import with_mask
    from unmask.serve.process import exit_now
    from unmask.serve.server import serve

    models = [with_mask(name, options.mask_id) for name in split_models(options.model)]
    exit_now(serve(options.host, options.port, models, options.cluster or ""))
