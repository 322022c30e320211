"""The app: mounts the page and the API."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from unmask.serve import process

process.ensure_tempdir()  # gradio asks for the folder when it is imported

with process.fast_imports():
    import gradio as gr
    from starlette.applications import Starlette
    from starlette.routing import BaseRoute

    from unmask.config import config
    from unmask.live import zerogpu
    from unmask.paths import ASSETS
    from unmask.serve import features, health, metrics, model_list, v1
    from unmask.serve.access import AccessMiddleware
    from unmask.serve.connections import TimedConnection
    from unmask.serve.doors import fallback, messages, socket
    from unmask.serve.lifespan import Lifespan
    from unmask.serve.runtime import CLOSE_SECONDS, Runtime
    from unmask.serve.served_models import open_models, served_models
    from unmask.ui import course, gallery
    from unmask.ui import features as shown_features
    from unmask.ui.api import Tools
    from unmask.ui.elements import head
    from unmask.ui.files import files
    from unmask.ui.page import page
    from unmask.ui.routes import PAGES, RULES

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")


def api_routes(runtime: Runtime) -> list[BaseRoute]:
    """The routes by which programs and the page's elements reach the engine."""
    modules = (socket, fallback, model_list, health, metrics, v1, features)
    return [*features.api_routes(runtime), *(route for module in modules for route in module.routes(runtime))]


def serve(
    port: int | None = None,
    traces: Path = ASSETS / "traces",
    runtime: Runtime | None = None,
    opened: Sequence[str] = (),
    **options: Any,
) -> gr.Blocks:
    """Start the app and open these models; returns the page at once with `prevent_thread_lock`, else after a signal has
    stopped it."""
    runtime = runtime or Runtime.configured(features.keeper(config().retention_hours))
    # on ZeroGPU, models must be loaded before the first GPU call
    loaded = zerogpu.load_models(served_models().values()) if config().zero_gpu else {}
    life = Lifespan(runtime)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        # in front of Gradio's own middleware, before the first request
        assert app.middleware_stack is not None
        app.middleware_stack = AccessMiddleware(app.middleware_stack, RULES, pages=PAGES, counts=runtime.counts)
        async with life():
            for name, model in loaded.items():
                runtime.loader.put(name, model)
            opening = asyncio.ensure_future(open_models(runtime, opened) if not loaded else asyncio.sleep(0))
            yield
            opening.cancel()

    blocking = not options.pop("prevent_thread_lock", False)
    if blocking:
        life.listen()
    shown = {k: options.pop(k) for k in ("models", "prompt") if k in options}
    blocks = page(traces, **shown, tools=Tools(runtime).all)
    blocks.launch(
        server_port=port,
        ssr_mode=False,  # Gradio's Node server does not pass on WebSockets
        head=head() + shown_features.head() + course.head() + gallery.head(),
        theme=gr.themes.Base(),
        footer_links=[],
        run_history=False,
        mcp_server=True,
        app_kwargs={"routes": [*api_routes(runtime), *files(traces)], "lifespan": lifespan},
        prevent_thread_lock=True,
        **options,
    )
    # uvicorn reads these at each new connection; compression costs more than it saves for such small messages
    blocks.server.config.ws_per_message_deflate = False
    blocks.server.config.http_protocol_class = TimedConnection
    blocks.server.config.ws_max_size = messages.LARGEST * 4
    blocks.server.config.timeout_graceful_shutdown = CLOSE_SECONDS  # runs have had their time to finish before
    # Gradio's queue carries no frames; by default it polls a thousand times a second
    blocks._queue.sleep_when_free = 0.02
    if blocking:
        life.until_stopped()
        blocks.close(verbose=False)
    return blocks
