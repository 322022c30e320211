"""What every test can use: Hypothesis profiles, one browser, servers of a test's own; and what a run reports."""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

from unmask.config import config

if TYPE_CHECKING:
    from tests.serve.process import Server

SCREENSHOTS = Path(__file__).parents[1] / "build" / "screenshots"
BROWSER = pytest.StashKey[Browser]()
QUIET = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --no-first-run".split()

# No deadline: on a shared machine a slow example says nothing about the code.
# Every day the same examples, so that a red test is red for everybody; `make fuzz` looks for others.
settings.register_profile("everyday", deadline=None, print_blob=True, derandomize=True)
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


@pytest.fixture
def another(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """A server of one's own, to be ended or given a key."""
    from tests.serve.process import started

    made: list[Server] = []

    def start(*more: str, **environment: str) -> Server:
        made.append(started(tmp_path / f"log{len(made)}", *(more or ("--model", "toy")), **environment))
        return made[-1]

    yield start
    for one in made:
        if one.process.poll() is None:
            one.stop(signal.SIGKILL)


@pytest.fixture(scope="session")
def chromium(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """The one browser of a run: its driver can be started only once."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    expect.set_options(timeout=60_000)  # a shared machine
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=QUIET)
        request.config.stash[BROWSER] = browser
        yield browser
        del request.config.stash[BROWSER]
        browser.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed browser test leaves a screenshot of each page that it has open, and its report says where."""
    report = yield
    browser = item.config.stash.get(BROWSER, None)
    if report.failed and browser and item.get_closest_marker("browser"):
        name = re.sub(r"[^\w-]+", "-", item.name).strip("-")
        files: list[Path] = []
        for page in [page for context in browser.contexts for page in context.pages]:
            file = SCREENSHOTS / f"{name}{f'-{len(files) + 1}' if files else ''}.png"
            if screenshot(page, file):
                files.append(file)
        report.sections.append(("screenshot", "\n".join(map(str, files)) or "no page was open"))
    return report


def screenshot(page: Page, file: Path) -> bool:
    """Write a page's picture; False where the tab is empty or does not answer."""
    with suppress(Error):
        if page.locator("body *").count() > 1:  # a tab that waits for its next test shows one file
            page.screenshot(path=file, timeout=10_000)
            return True
    return False


@pytest.hookimpl(trylast=True)  # after the folders have said which of theirs need a browser
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Playwright's synchronous driver keeps a loop running in this thread, in which no asynchronous test can start.
    # Whole files come last, since a file stays together when tests are spread over processes; the longest of them
    # first, so that no process is left with a long one in the end.
    last = Counter(item.path for item in items if item.get_closest_marker("browser"))
    items.sort(key=lambda item: last[item.path] and 1 + 1 / last[item.path])


class Failures:
    """Names each test that fails as soon as it has failed; the report itself comes at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        terminal = self.config.pluginmanager.getplugin("terminalreporter")
        if report.failed and terminal is not None:
            terminal.ensure_newline()
            terminal.write_line(f"failed: {report.nodeid} ({report.when})", red=True)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        bad = [*terminalreporter.stats.get("failed", ()), *terminalreporter.stats.get("error", ())]
        if bad:
            first = min(bad, key=lambda report: getattr(report, "start", 0.0))
            terminalreporter.write_line(f"failed first: {first.nodeid}", red=True)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # with several processes only the first one reports
        config.pluginmanager.register(Failures(config), "failures")
