"""Composes page and doors: the web entry. `python app.py --port 7860`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import gradio as gr
import plotly
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from dllm.race import door
from dllm.serve import file, menu, openai, socket, stream
from dllm.serve.host import Host
from ui import race
from ui.api import decoder
from ui.canvas import ASSETS, PLACE, head
from ui.page import page

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")


def files(traces: Path = ASSETS / "traces") -> list[BaseRoute]:
    """What the page loads from here, and from nowhere else."""
    charts = Path(plotly.__file__).parent / "package_data"
    return [
        Mount(f"/{PLACE}/plotly", StaticFiles(directory=charts)),
        Mount(f"/{PLACE}/traces", StaticFiles(directory=traces, check_dir=False)),
        Mount(f"/{PLACE}", StaticFiles(directory=ASSETS)),
    ]


def doors(host: Host) -> list[BaseRoute]:
    """How programs and the page's own elements reach the engine."""
    made = (socket, stream, menu, file, openai, door)
    return [route for one in made for route in one.routes(host)]


def serve(
    port: int | None = None, traces: Path = ASSETS / "traces", host: Host | None = None, **wishes: Any
) -> gr.Blocks:
    """Start; returns the page, which `launch` holds open unless `prevent_thread_lock` is wished for."""
    host = host or Host()
    blocks = page(traces, **{k: wishes.pop(k) for k in ("models", "prompt") if k in wishes})
    with blocks:
        gr.api(decoder(host), api_name="decode")
    blocks.launch(
        server_port=port,
        ssr_mode=False,  # Node in front would swallow the socket
        head=head() + race.head(),
        theme=gr.themes.Base(),
        footer_links=[],
        run_history=False,
        mcp_server=True,
        app_kwargs={"routes": [*doors(host), *files(traces)]},
        **wishes,
    )
    return blocks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Unmask: watch and steer a language model denoise")
    parser.add_argument("--port", type=int, help="default: GRADIO_SERVER_PORT, or the first free one from 7860")
    serve(parser.parse_args().port)
