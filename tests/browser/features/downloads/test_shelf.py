"""A small real model from a hub on this machine: fetched, cancelled, gone on with, opened, closed to make room."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.recorded import pair
from tests.browser.steps import finished, menu, run
from tests.browser.visit import PROMPT, Visitor
from tests.models.forge import larger
from tests.models.local_hub import environment, local_hub
from tests.serve.process import free_port

ROOT = Path(__file__).parents[4]
FIRST = "dllm-hub/Qwen3-0.6B-diffusion-mdlm-v0.1"
SECOND = "dllm-hub/Qwen2.5-Coder-0.5B-Instruct-diffusion-mdlm-v0.1"
SLOW = 120_000


@contextmanager
def app(log: Path, more: Mapping[str, str]) -> Iterator[str]:
    """The app in a process of its own, with the toy and what was recorded of it."""
    port = free_port()
    pair(log.parent / "traces")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "UNMASK_"))}
    options = f"{port}, Path({str(log.parent / 'traces')!r}), models=('toy',), prompt={PROMPT!r}"
    quick = "from unmask.models.hub import layer_timing as probe; probe.CELLS, probe.TRIES = 8, 1"
    code = (
        f"from pathlib import Path\nfrom unmask.ui import app\n{quick}\napp.serve({options})\napp.process.exit_now(0)"
    )
    command, address = [sys.executable, "-c", code], f"http://127.0.0.1:{port}/"
    with log.open("w") as file:
        process = subprocess.Popen(
            command, cwd=ROOT, env=kept | dict(more), stdout=subprocess.PIPE, stderr=file, text=True
        )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if str(port) in line:
                break
        urllib.request.urlopen(f"{address}health", timeout=60)
        yield address
    finally:
        process.terminate()
        status = process.wait(60)
    assert status == 0, log.read_text()
    assert "Traceback" not in log.read_text()


def book(page: Page, name: str) -> Locator:
    return page.locator(f'unmask-models li[data-model="{name}"]')


def state(row: Locator, name: str) -> None:
    expect(row).to_have_attribute("data-state", name, timeout=SLOW)


@pytest.mark.long
def test_a_small_model_is_fetched_beside_a_run_cancelled_gone_on_with_and_makes_room(
    visitor: Visitor, tmp_path: Path
) -> None:
    folders = {}
    for name in (FIRST, SECOND):
        folders[name] = tmp_path / name.rpartition("/")[2]
        folders[name].mkdir()
        larger(folders[name])
    with local_hub(folders) as hub:
        hub.pause_after = 11 << 20
        # room for one of them at a time: they weigh 26 MB, and 352 MB are counted beside one that opens
        options = {"UNMASK_MODELS_MB": "355", "GRADIO_ANALYTICS_ENABLED": "False"}
        with (
            app(tmp_path / "log", environment(hub, tmp_path) | options) as address,
            closing(visitor.open(at=address, reduced_motion="reduce")) as page,
        ):
            menu(page)
            page.locator("unmask-models summary").click()
            one, two = book(page, FIRST), book(page, SECOND)
            expect(one).to_contain_text("1.2 GB to download", timeout=SLOW)
            expect(one).to_contain_text(re.compile(r"Apache-2.0\s· about [\d.]+ m?s a look here"))
            one.get_by_role("button", name="Fetch").click()
            expect(one).to_contain_text("44 % of 26 MB", timeout=SLOW)
            expect(one.get_by_role("progressbar")).to_be_visible()
            page.keyboard.press("Escape")
            run(page)
            finished(page)  # a run goes from its beginning to its end meanwhile
            menu(page)
            state(one, "coming")
            if folder := os.environ.get("SHOTS"):
                shots(page, Path(folder))
            one.get_by_role("button", name="Cancel").click()
            state(one, "closed")  # at once, though the hub is silent
            hub.go_on.set()
            hub.pause_after, hub.begun = 0, []
            one.get_by_role("button", name="Fetch").click()
            state(one, "open")
            assert ("model.safetensors", 11 << 20) in hub.begun  # what had come was not fetched again
            two.get_by_role("button", name="Fetch").click()
            state(two, "open")
            state(one, "closed")
            expect(one.get_by_role("button", name="Open")).to_be_visible()  # it is on this machine
            two.get_by_role("button", name="Use it").click()
            expect(page.locator("unmask-models summary")).to_contain_text(SECOND, timeout=SLOW)


def shots(page: Page, folder: Path) -> None:
    """Pictures for whoever looks: light and dark, wide and narrow."""
    for theme in ("light", "dark"):
        page.evaluate("(dark) => document.body.classList.toggle('dark', dark)", theme == "dark")
        for width, height in ((1280, 800), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            page.get_by_text("Small models, one press away").scroll_into_view_if_needed()
            page.screenshot(path=folder / f"shelf-{theme}-{width}.png")
    page.evaluate("document.body.classList.remove('dark')")
    page.set_viewport_size({"width": 1280, "height": 900})
