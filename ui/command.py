"""`unmask run`: start the page."""

from __future__ import annotations

import argparse

from unmask.config import serve_models
from unmask.extras import require

HELP = "start the page"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, help="default: GRADIO_SERVER_PORT, or the first free one from 7860")
    parser.add_argument("--host", help="the address to listen on; default: GRADIO_SERVER_NAME, or 127.0.0.1")
    parser.add_argument(
        "--model", action="append", default=[], help="open this one beside the bundled pair: NAME, or NAME=FAMILY:WHAT"
    )


def run(options: argparse.Namespace) -> int:
    require("app", "the page")
    from unmask.models import split_models
    from unmask.models.bundled import available_builtins
    from unmask.serve import process
    from unmask.serve.served_models import served_models
    from unmask.ui.app import serve

    names = split_models(options.model)
    wanted = list(served_models(names).values()) if names else []
    if names:
        serve_models(list(dict.fromkeys([*available_builtins()[:2], *names])))
    serve(options.port, opened=wanted, server_name=options.host)
    process.exit_now(0)
