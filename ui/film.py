"""`unmask film`: a recording as a GIF on the page's clock, drawn by the page's own scripts in Chromium."""

from __future__ import annotations

import argparse
import base64
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from unmask.errors import InvalidRequest
from unmask.extras import require
from unmask.run.trace import load

HELP = "make a GIF of a recording"
THEMES = ("light", "dark", "projector")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 120_000  # ms
NO_BROWSER = "A GIF is drawn by Chromium, and none was found: install it, or name it with --browser."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", nargs="+", help="a recording of both sides, or of one side each")
    parser.add_argument("out", type=Path, help="the GIF to write")
    parser.add_argument("--theme", choices=THEMES, default="light")
    parser.add_argument("--browser", default="", help="the Chromium to draw with; default: the one that is installed")


def run(options: argparse.Namespace) -> int:
    film(options.file, options.out, options.theme, options.browser)
    print(f"{options.out}: {options.out.stat().st_size >> 10} KB")
    return 0


def film(files: Sequence[str | Path], out: str | Path, theme: str = "light", browser: str = "") -> None:
    """Write a GIF of one or two recordings, which `Run.save` and the page make."""
    require("app", "A GIF of a recording")
    require("film", "A GIF of a recording")
    for file in files:
        load(file)  # raises if it is no recording
    texts = [Path(file).read_text(encoding="utf-8") for file in files]
    with ThreadPoolExecutor(1) as thread:  # a notebook's own thread has an event loop, which Playwright refuses
        Path(out).write_bytes(thread.submit(_drawn, texts, theme, browser).result())


def _drawn(texts: Sequence[str], theme: str, chromium: str) -> bytes:
    from playwright.sync_api import Error, sync_playwright

    from unmask.ui.player import player

    # None: the one that Playwright has installed
    path = chromium or next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        except Error:
            raise InvalidRequest(NO_BROWSER) from None
        page = browser.new_page(reduced_motion="reduce")
        page.set_default_timeout(PATIENCE)
        failed: list[str] = []
        page.on("pageerror", lambda error: failed.append(str(error)))
        place = Path(folder) / "film.html"
        place.write_text(player("assets/film.js"), encoding="utf-8")
        page.goto(place.as_uri())
        if failed:
            raise RuntimeError(failed[0])
        address: str = page.evaluate("([texts, theme]) => filmed(texts, theme)", [texts, theme])
        browser.close()
    return base64.b64decode(address.partition(",")[2])
