"""A server with the toy and a recorded pair, tabs of a real Chromium; a test ends badly if its page saw an error."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.recorded import pair
from tests.browser.visit import Tabs, Visitor, served
from unmask.config import config
from unmask.models.hub import layer_timing
from unmask.serve.features import keeper
from unmask.serve.runtime import Runtime

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in Path(item.fspath).parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the recorded pair that the page opens with."""
    return pair(tmp_path_factory.mktemp("traces"))


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    """What the server of this worker holds."""
    return Runtime.configured(keeper(config().retention_hours))


@pytest.fixture(scope="session")
def address(traces: Path, runtime: Runtime) -> Iterator[str]:
    with served(traces, runtime) as url, pytest.MonkeyPatch.context() as patch:
        # the list of models times a layer of each: a shorter canvas takes a tenth
        patch.setattr(layer_timing, "CELLS", 8)
        patch.setattr(layer_timing, "TRIES", 1)
        yield url


@pytest.fixture(scope="session")
def tabs(chromium: Browser, address: str) -> Tabs:
    return Tabs(chromium, address)


@pytest.fixture
def visitor(tabs: Tabs) -> Iterator[Visitor]:
    tabs.park()  # what a failed test left open for its picture
    made = Visitor(tabs)
    yield made
    assert not made.wrong
    tabs.park()


@pytest.fixture
def page(visitor: Visitor) -> Page:
    """The page without motion: its recording stands at its beginning. One that plays keeps half a core busy."""
    return visitor.open(reduced_motion="reduce")


@pytest.fixture
def rerecorded(traces: Path) -> Iterator[Path]:
    """The folder of the recorded pair, to record another one into; the first is there again when the test is over."""
    before = {file: file.read_bytes() for file in traces.iterdir()}
    yield traces
    for file, content in before.items():
        file.write_bytes(content)
