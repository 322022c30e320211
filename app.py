"""Composes page and doors: the web entry. `python app.py --port 7860`."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from unmask.serve import process

process.ensure_tempdir()  # gradio asks for the folder when it is imported

with process.fast_imports():
    import gradio as gr
    import plotly
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import BaseRoute, Mount
    from starlette.staticfiles import StaticFiles

    from ui import course, gallery, player
    from ui import features as shown_features
    from ui.api import Tools
    from ui.elements import ASSETS, PLACE, head
    from ui.page import page
    from ui.routes import PAGES, RULES
    from unmask.config import config
    from unmask.live import zerogpu
    from unmask.models import Denoiser
    from unmask.serve import features, health, metrics, model_list, v1
    from unmask.serve.access import AccessMiddleware
    from unmask.serve.doors import fallback, messages, socket
    from unmask.serve.process import exit_now
    from unmask.serve.runtime import LINES, Runtime
    from unmask.serve.served_models import served_models
    from unmask.serve.server import RequestTimeoutProtocol

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")


class Current(StaticFiles):
    """Files of which a browser asks each time whether its copy still holds: nobody sees half of an older page."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        return response


def files(traces: Path = ASSETS / "traces") -> list[BaseRoute]:
    """What the page loads from here, and from nowhere else."""
    charts = Path(plotly.__file__).parent / "package_data"
    return [
        *course.routes(),
        *player.routes(),
        Mount(f"/{PLACE}/plotly", StaticFiles(directory=charts)),
        Mount(f"/{PLACE}/traces", Current(directory=traces, check_dir=False)),
        Mount(f"/{PLACE}", Current(directory=ASSETS)),
    ]


def doors(runtime: Runtime) -> list[BaseRoute]:
    """How programs and the page's own elements reach the engine."""
    made = (socket, fallback, model_list, health, metrics, v1, features)
    return [route for one in made for route in one.routes(runtime)]


class Life:
    """From the server's start to its end: whoever is told to stop lets what runs finish."""

    def __init__(self, runtime: Runtime, models: Mapping[str, Denoiser]) -> None:
        self.runtime, self.models = runtime, models
        self._loop: asyncio.AbstractEventLoop | None = None
        self._signalled = threading.Event()

    @asynccontextmanager
    async def __call__(self, app: Starlette) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        # in front of everything that Gradio has put there, and before the first request
        assert app.middleware_stack is not None
        app.middleware_stack = AccessMiddleware(app.middleware_stack, RULES, pages=PAGES, counts=self.runtime.counts)
        for name, model in self.models.items():
            self.runtime.loader.put(name, model)
        yield
        await self.runtime.close()

    def listen(self) -> None:
        """Hear SIGTERM and SIGINT from now on, while the page is still being made too; a second one ends it at once."""

        def stop(number: int, _: Any) -> None:
            signal.signal(number, signal.SIG_DFL)
            self._signalled.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)

    def until_stopped(self) -> None:
        """Wait for the signal, and then for what runs."""
        self._signalled.wait()
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(self.runtime.drain(config().grace), self._loop).result()


def serve(
    port: int | None = None, traces: Path = ASSETS / "traces", runtime: Runtime | None = None, **options: Any
) -> gr.Blocks:
    """Start; returns the page: at once if `prevent_thread_lock` is wished for, else when it was told to stop."""
    runtime = runtime or Runtime.configured(features.keeper(config().retention_hours))
    # where the GPU is lent by the call, models are opened before the first loan
    life = Life(runtime, zerogpu.load_models(served_models().values()) if config().zero_gpu else {})
    waits = not options.pop("prevent_thread_lock", False)
    if waits:
        life.listen()
    shown = {k: options.pop(k) for k in ("models", "prompt") if k in options}
    blocks = page(traces, **shown, tools=Tools(runtime).all)
    blocks.launch(
        server_port=port,
        ssr_mode=False,  # Node in front would swallow the socket
        head=head() + shown_features.head() + course.head() + gallery.head(),
        theme=gr.themes.Base(),
        footer_links=[],
        run_history=False,
        mcp_server=True,
        app_kwargs={"routes": [*doors(runtime), *files(traces)], "lifespan": life},
        prevent_thread_lock=True,
        **options,
    )
    # read at each new connection: compressing costs more than it saves at these sizes, and nobody may send much
    blocks.server.config.ws_per_message_deflate = False
    blocks.server.config.http_protocol_class = RequestTimeoutProtocol
    blocks.server.config.ws_max_size = messages.LARGEST * 4
    blocks.server.config.timeout_graceful_shutdown = LINES  # what runs has had its time before
    # Gradio's queue carries no frames, and would look a thousand times a second
    blocks._queue.sleep_when_free = 0.02
    if waits:
        life.until_stopped()
        blocks.close(verbose=False)
    return blocks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Unmask: watch and steer a language model denoise")
    parser.add_argument("--port", type=int, help="default: GRADIO_SERVER_PORT, or the first free one from 7860")
    serve(parser.parse_args().port)
    exit_now(0)
