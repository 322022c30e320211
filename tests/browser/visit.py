"""Pages in a real browser: tabs that one test after another uses, and what should not have happened on them.

A tab loads the page again for each test, with an empty storage. Its context stays, so most of the page comes from the
cache: that takes a third of the time of a new context. The console is watched: the page's Content-Security-Policy
refuses a request to another machine, and says so there. Listening to all requests takes a seventh of a page's time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Error, Page, expect
from starlette.responses import Response

from tests.serve.process import free_port
from unmask.models.hub import layer_timing
from unmask.paths import ASSETS, FEATURES
from unmask.serve.runtime import Runtime
from unmask.ui import app
from unmask.ui.files import RevalidatedFiles

PROMPT = "3 14 15 9"  # the toy's words are numbers
PATIENCE = 60_000  # ms that a page may take on a busy machine
# the page keeps nothing on its global object: tests reach the first stage by this name
CONTROLLER = """Object.defineProperty(globalThis, "unmask", {
    configurable: true, get: () => document.querySelector("unmask-stage")?.controller,
})"""
PARKED = "unmask/assets/looks/page.css"  # where a tab waits for the next test: a small file of the same origin


def kept(files: RevalidatedFiles, *args: Any, **kwargs: Any) -> Response:
    """The page's own files do not change while tests run: a browser need not ask whether its copy still holds."""
    response = super(RevalidatedFiles, files).file_response(*args, **kwargs)
    response.headers["Cache-Control"] = "max-age=3600" if files.directory in (ASSETS, FEATURES) else "no-cache"
    return response


@contextmanager
def served(traces: Path, runtime: Runtime | None = None) -> Iterator[str]:
    """The address of a running page."""
    with patch.object(RevalidatedFiles, "file_response", kept):
        # two workers that look for a free port at once would find the same
        own: dict[str, Any] = {"models": ("toy",), "prompt": PROMPT, "prevent_thread_lock": True, "quiet": True}
        blocks = app.serve(free_port(), traces, runtime, **own)
    try:
        # timing layers of large models would take the processor from what a test looks at
        with patch.object(layer_timing, "forward_seconds", lambda *_: 0.5):
            yield blocks.local_url
    finally:
        blocks.close(verbose=False)


def window(context: BrowserContext) -> Page:
    """A page in a window of its own: what is behind another tab in a window is drawn seldom."""
    if not context.pages:
        return context.new_page()
    with context.expect_page() as opened:
        context.pages[0].evaluate("void open('about:blank', '_blank', 'popup, noopener')")
    return opened.value


class Tab:
    """A page that one test after another uses."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.context, self.address = context, address
        self.wrong: list[str] = []  # of the test that uses it
        self.page = window(context)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("dialog", self._dialog)

    def park(self) -> bool:
        """Leave the page and forget what it stored; False where the tab is of no more use."""
        try:
            self.page.emulate_media(media="null", reduced_motion="null")
            self.page.goto(self.address + PARKED)
            self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        except Error:
            return False
        self.wrong = []
        return True

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.wrong.append(f"console: {message.text}")

    def _dialog(self, dialog: Dialog) -> None:
        self.wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()


class Tabs:
    """The tabs of a worker; those whose contexts have the same options share one, and its cache."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser, self.address = browser, address
        self.contexts: dict[str, BrowserContext] = {}
        self.free: list[Tab] = []
        self.remote: list[Tab] = []

    def lend(self, options: dict[str, Any], before: str = "") -> Tab:
        """A parked tab of a context with these options; a new one where a script is to run before the page's."""
        context = self.contexts.get(repr(options)) or self._context(options)
        tab = next((tab for tab in self.free if tab.context is context and not before), None)
        if tab:
            self.free.remove(tab)
        else:
            tab = Tab(context, self.address)
        if before:
            tab.page.add_init_script(before)
        else:
            self.remote.append(tab)
        return tab

    def park(self) -> None:
        """Take back what was lent, and close every other page."""
        kept = [tab for tab in self.remote if tab.park()]
        self.free += kept
        self.remote = []
        for context in self.contexts.values():
            context.clear_cookies()
            context.clear_permissions()
            for page in context.pages:
                if all(page is not tab.page for tab in self.free):
                    page.close()

    def _context(self, options: dict[str, Any]) -> BrowserContext:
        context = self.browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(CONTROLLER)
        self.contexts[repr(options)] = context
        return context


SEEN = "getComputedStyle(document.querySelector('.gradio-container')).visibility === 'visible'"


class Visitor:
    """Opens pages, and remembers what should not have happened on them."""

    def __init__(self, tabs: Tabs) -> None:
        self.tabs = tabs
        self.address = tabs.address
        self.wrong: list[str] = []

    def open(
        self,
        theme: str = "light",
        width: int = 1280,
        height: int = 900,
        at: str = "",
        before: str = "",
        more: str = "",
        reduced_motion: Any = "no-preference",
        deep: str | bool = "run",
        permissions: tuple[str, ...] = (),
        **options: Any,
    ) -> Page:
        """A page with the stage, and a page of what is behind the first view, `deep`; `options` are the context's."""
        tab = self.tabs.lend(options, before)
        tab.wrong = self.wrong
        tab.context.grant_permissions(list(permissions))
        page = tab.page
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(reduced_motion=reduced_motion)
        page.goto(f"{at or self.address}?theme={theme}{more}")
        expect(page.locator("unmask-stage")).to_have_attribute("data-ready", "yes")
        page.wait_for_function(SEEN)  # until then the page is laid out but hidden, and takes no focus
        if deep:
            page.evaluate("(page) => document.querySelector('unmask-stage').open(page)", deep)
        return page
