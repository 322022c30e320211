"""Servers of a test's own, to be ended, starved and flooded."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.serve.process import Server, started


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
