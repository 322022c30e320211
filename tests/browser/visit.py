"""A page that is served, and somebody who visits it and remembers what should not have happened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from dllm.serve.host import Host

PROMPT = "3 14 15 9"  # the toy's words are numbers


@contextmanager
def served(traces: Path, host: Host | None = None) -> Iterator[str]:
    """The address of a running page."""
    from app import serve

    blocks = serve(traces=traces, models=("toy",), prompt=PROMPT, host=host, prevent_thread_lock=True, quiet=True)
    yield blocks.local_url
    blocks.close(verbose=False)


class Visitor:
    """Opens pages, and remembers what should not have happened on them."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser, self.address = browser, address
        self.wrong: list[str] = []
        self.contexts: list[Any] = []

    def open(
        self,
        theme: str = "light",
        width: int = 1280,
        height: int = 900,
        at: str = "",
        before: str = "",
        more: str = "",
        **wishes: Any,
    ) -> Page:
        context = self.browser.new_context(viewport={"width": width, "height": height}, **wishes)
        self.contexts.append(context)
        page = context.new_page()
        if before:
            page.add_init_script(before)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("request", lambda request: self._request(request.url))
        page.on("dialog", lambda dialog: self.wrong.append(f"dialog: {dialog.message}") or dialog.dismiss())
        page.goto(f"{at or self.address}?theme={theme}{more}")
        expect(page.locator("unmask-stage")).to_have_attribute("data-ready", "yes")
        return page

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.wrong.append(f"console: {message.text}")

    def _request(self, url: str) -> None:
        if not url.startswith((self.address, "http://127.0.0.1", "data:", "blob:")):
            self.wrong.append(f"request: {url}")
