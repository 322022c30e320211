"""Cost of exporting a run in the browser: a GIF of 64 passes, and a standalone page, at 128 cells on both sides.

Compute time is that of the page's thread, so that other programs do not count.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from bench.screen import CONTROLLER, QUIET
from tests.browser.recorded import WORDS, run
from tests.browser.visit import served
from unmask.models.toy import Toy
from unmask.run.presets import preset

CELLS, PASSES = 128, 64
WAIT = 600_000  # ms, on a busy machine


def traces(folder: Path) -> Path:
    """Two recordings of `PASSES` passes, with the candidates of every cell."""
    settings = preset("llada").over(CELLS, passes=PASSES)
    for name, causal in (("diffusion", False), ("twin", True)):
        run(folder / f"first.{name}.trace.jsonl", causal, settings, WORDS, CELLS, Toy().card.weights)
    return folder


def timed_export(page: Page, name: str) -> tuple[float, float, int]:
    """Seconds of wall time, seconds of the page's thread, and bytes of one export."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        metrics = {row["name"]: row["value"] for row in devtools.send("Performance.getMetrics")["metrics"]}
        return float(metrics["TaskDuration"])

    page.get_by_role("button", name="Share", exact=True).click()
    before, began = busy(), time.perf_counter()
    with page.expect_download(timeout=WAIT) as download:
        page.locator(".share").get_by_role("button", name=name).click()
    wall = time.perf_counter() - began
    return wall, busy() - before, Path(download.value.path()).stat().st_size


def main() -> int:
    with (
        tempfile.TemporaryDirectory() as folder,
        served(traces(Path(folder))) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        page.add_init_script(CONTROLLER)
        page.set_default_timeout(WAIT)
        page.goto(address)
        page.wait_for_function(f"globalThis.unmask?.sides.every((side) => side.moments.length > {PASSES})")
        for name, seconds in (("Page", 2), ("GIF", 5)):
            wall, busy, size = timed_export(page, name)
            print(
                f"{name}, {CELLS} cells, {PASSES} passes, both sides: {busy:.2f} s of its thread (<= {seconds}), "
                f"{wall:.1f} s on the clock, {size / 1e6:.2f} MB" + (" (<= 1.5)" if name != "GIF" else "")
            )
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
