"""One server for all tests of the doors, with a toy and a pair of small random networks."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import openai
import pytest
import uvicorn
from starlette.applications import Starlette

from tests.serve.place import Place
from tests.serve.process import Server, checkpoint, started
from tests.until import until
from unmask.serve.access import AccessMiddleware
from unmask.serve.doors.messages import LARGEST
from unmask.serve.doors.socket import routes
from unmask.serve.runtime import Runtime


@pytest.fixture(autouse=True)
def quiet_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other programs on the machine mark no run, and no frame is longer for that."""
    monkeypatch.setattr("unmask.live.device.core_wait", lambda: 0.0)


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    return {name: checkpoint(folder / name, name == "twin") for name in ("tiny", "twin")}


@pytest.fixture(scope="session")
def offers(models: dict[str, Path]) -> list[str]:
    models_served = ["toy", f"tiny=denoiser:{models['tiny']}", f"twin=twin:{models['twin']}"]
    return [word for one in models_served for word in ("--model", one)]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, offers: list[str]) -> Iterator[Server]:
    """One server for every test that does not end it."""
    running = started(tmp_path_factory.mktemp("server") / "log", *offers)
    for name in ("toy", "tiny", "twin"):  # opened before anything is timed
        running.client().completions.create(model=name, prompt="1", max_tokens=2)
    yield running
    assert running.stop() == 0
    assert "Traceback" not in running.log.read_text()


@pytest.fixture
def client(server: Server) -> openai.OpenAI:
    return server.client()


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    runtime = Runtime()
    config = uvicorn.Config(
        AccessMiddleware(Starlette(routes=routes(runtime))),
        host="127.0.0.1",
        port=0,
        log_level="error",
        lifespan="off",
        ws_max_size=4 * LARGEST,
    )
    server = uvicorn.Server(config)
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign]
    serving = asyncio.ensure_future(server.serve())
    await until(lambda: server.started)
    yield Place(runtime, server.servers[0].sockets[0].getsockname()[1])
    server.should_exit = True
    await asyncio.wait_for(serving, 60)
    await runtime.close()
