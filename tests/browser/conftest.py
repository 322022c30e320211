"""A server with the toy and a recorded pair, and a real Chromium; a test ends badly if its page saw an error."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.recorded import pair
from tests.browser.visit import Visitor, served

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
expect.set_options(timeout=45_000)  # a shared machine


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in Path(item.fspath).parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(pair(tmp_path_factory.mktemp("traces"))) as url:
        yield url


@pytest.fixture
def visitor(chromium: Browser, address: str) -> Iterator[Visitor]:
    made = Visitor(chromium, address)
    yield made
    for context in made.contexts:
        context.close()
    assert not made.wrong


@pytest.fixture
def page(visitor: Visitor) -> Page:
    """The page as it greets: a recording, playing."""
    return visitor.open()
