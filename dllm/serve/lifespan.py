"""A server from its start to its end: on a signal it refuses new requests, lets runs finish, and then stops."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from unmask.config import config
from unmask.serve.connections import survive_lack_of_descriptors
from unmask.serve.log_limit import limit_log
from unmask.serve.runtime import Runtime


class Lifespan:
    """Opens a server's event loop and closes its runtime; another thread waits here for a signal, and for the runs."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = threading.Event()

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        survive_lack_of_descriptors(self._loop)
        limit_log()
        yield
        self._loop = None
        await self.runtime.close()

    def listen(self) -> None:
        """Handle SIGTERM and SIGINT from now on; a second one stops the process at once."""

        def stop(number: int, _: object) -> None:
            signal.signal(number, signal.SIG_DFL)
            self._stopping.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)

    def until_stopped(self) -> None:
        """Wait for a signal, and then for the runs."""
        self._stopping.wait()
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(self.runtime.drain(config().grace), self._loop).result()

    def run(self, server: uvicorn.Server) -> None:
        """Run a server in a thread, until a signal or its own failure stops it."""

        def serve() -> None:
            try:
                server.run()
            finally:
                self._stopping.set()

        self.listen()
        thread = threading.Thread(target=serve, name="server")
        thread.start()
        self.until_stopped()
        server.should_exit = True
        thread.join()
