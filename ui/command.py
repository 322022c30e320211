"""`unmask run`: start the page."""

from __future__ import annotations

import argparse

from unmask.extras import require

HELP = "start the page"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, help="default: GRADIO_SERVER_PORT, or the first free one from 7860")
    parser.add_argument("--host", help="the address to listen on; default: GRADIO_SERVER_NAME, or 127.0.0.1")


def run(options: argparse.Namespace) -> int:
    require("app", "the page")
    from unmask.serve import process
    from unmask.ui.app import serve

    serve(options.port, server_name=options.host)
    process.exit_now(0)
