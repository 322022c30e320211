"""How long Hypothesis looks (enough for every day, far longer under `make fuzz`), one browser, and who comes last."""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

from dllm.config import config

QUIET = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --no-first-run".split()

# No deadline: on a shared machine a slow example says nothing about the code.
settings.register_profile("everyday", deadline=None, print_blob=True)
settings.register_profile("fuzz", deadline=None, print_blob=True, max_examples=5_000, stateful_step_count=100)
settings.load_profile("everyday")


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Set variables of the environment; the config is read again, and once more when the test is over."""

    def set_variables(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        config.cache_clear()

    yield set_variables
    monkeypatch.undo()
    config.cache_clear()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The one browser of a run: its driver can be started only once."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=QUIET)
        yield browser
        browser.close()


@pytest.hookimpl(trylast=True)  # after the folders have said which of theirs need a browser
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Playwright's synchronous driver keeps a loop running in this thread, in which no asynchronous test can start.
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
