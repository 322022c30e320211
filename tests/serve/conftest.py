"""One server for all tests of the doors, with a toy and a pair of small random networks."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import openai
import pytest

from tests.serve.process import Server, checkpoint, started


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
def another(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """A server of one's own, to be ended or given a key."""
    made: list[Server] = []

    def start(*more: str, **environment: str) -> Server:
        made.append(started(tmp_path / f"log{len(made)}", *(more or ("--model", "toy")), **environment))
        return made[-1]

    yield start
    for one in made:
        if one.process.poll() is None:
            one.stop(signal.SIGKILL)
