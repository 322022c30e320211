"""The server without the page: /v1 and /ws on one port, until a signal stops it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import uvicorn
from starlette.applications import Starlette

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.serve import features, health, metrics, v1
from unmask.serve.access import AccessMiddleware
from unmask.serve.connections import TimedConnection
from unmask.serve.doors import messages, socket
from unmask.serve.lifespan import Lifespan
from unmask.serve.runtime import CLOSE_SECONDS, Runtime
from unmask.serve.served_models import served_models


def app(runtime: Runtime, models: Sequence[str] = (), life: Lifespan | None = None) -> Starlette:
    """The ASGI application: the API's routes behind the access middleware."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with (life or Lifespan(runtime))():
            opening = [asyncio.ensure_future(runtime.model(what)) for what in served_models(models).values()]
            yield
        await asyncio.gather(*opening, return_exceptions=True)  # failures are reported when the model is requested

    routes = [
        *features.api_routes(runtime, models),
        *v1.routes(runtime, models=models),
        *socket.routes(runtime),
        *health.routes(runtime),
        *metrics.routes(runtime),
    ]
    made = Starlette(routes=routes, lifespan=lifespan)
    # in front of everything, as in the app with its page
    made.middleware_stack = AccessMiddleware(made.build_middleware_stack(), features.rules(), counts=runtime.counts)
    return made


def serve(address: str, port: int, models: Sequence[str] = (), cluster: str = "") -> int:
    """Run until SIGTERM or SIGINT."""
    served_models(models)  # raises if one cannot be served
    if not 0 <= port < 65_536:
        raise InvalidRequest(f"the port must be between 0 and 65535, not {port}")
    here = address in ("127.0.0.1", "localhost", "::1")
    hours = config().retention_hours if here or config().keep_hours is not None else 0.0
    runtime = Runtime.configured(features.keeper(hours), cluster)
    life = Lifespan(runtime)
    # Addresses are not logged, since people put keys into them.
    listening = uvicorn.Config(
        app(runtime, models, life),
        host=address,
        port=port,
        http=TimedConnection,
        access_log=False,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=CLOSE_SECONDS,
        ws_max_size=messages.LARGEST * 4,
        ws_per_message_deflate=False,
    )
    server = uvicorn.Server(listening)
    key = "a key" if config().api_keys else "no key, from this machine only"
    print(f"Unmask answers on http://{address}:{port}/v1 with {key}; stop it with Ctrl-C", flush=True)
    life.run(server)
    return 0 if server.started else 1
