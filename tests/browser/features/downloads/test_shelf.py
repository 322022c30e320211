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
from tests.browser.steps import finished, models, run
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
    return page.locator(f'unmask-dock .models li[data-model="{name}"]')


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
            models(page)
            one, two = book(page, FIRST), book(page, SECOND)
            expect(one.get_by_role("button", name="Get 1.2 GB", exact=False)).to_be_visible(timeout=SLOW)
            expect(one).to_contain_text(re.compile(r"Answers|short answers", re.I))
            expect(one).to_contain_text("What is the capital of France?")
            expect(one).to_contain_text(re.compile(r"[\d.]+ m?s a look\s*Apache-2.0"), timeout=SLOW)
            one.get_by_role("button", name="Get 1.2 GB").click()
            expect(one).to_contain_text("12 of 26 MB", timeout=SLOW)
            expect(one.get_by_role("progressbar")).to_be_visible()
            expect(page.get_by_role("button", name="Models 44 %")).to_be_visible()
            run(page)
            finished(page)  # a run goes from its beginning to its end meanwhile
            state(one, "coming")
            one.get_by_role("button", name="Pause").click()
            expect(one).to_contain_text("12 of 1200 MB are kept.")  # at once, though the hub is silent
            hub.go_on.set()
            hub.pause_after, hub.begun = 0, []
            one.get_by_role("button", name="Go on").click()
            state(one, "open")
            assert ("model.safetensors", 11 << 20) in hub.begun  # what had come was not fetched again
            two.get_by_role("button", name="Get 1.0 GB").click()
            state(two, "open")
            state(one, "closed")  # it made room, and is on this machine
            expect(one.get_by_role("button", name="Open")).to_be_visible()
            declined(page)


def declined(page: Page) -> None:
    """From a declined prompt to the first look in one press, as a model is on this machine; and back to the pair."""
    page.evaluate("unmask.runs.state.instead = { offers: [], weak: '' }; unmask.runs.state.outside = '7 7 7 1'")
    page.locator(".outside").get_by_role("button", name="Ask Qwen").click()
    page.wait_for_function("unmask.models[0].includes('Qwen') && unmask.sides[0].moments.length > 1", timeout=SLOW)
    assert page.evaluate("JSON.parse(localStorage['unmask-answers'])[0]") == page.evaluate("unmask.models[0]")
    page.get_by_role("button", name="with Qwen").click()
    expect(page.locator(".say .status")).to_have_text("The pair of this page answers again.")
    assert page.evaluate("unmask.models") == page.evaluate("[...unmask.runs.home]")
    row = page.locator(".models li").filter(has=page.get_by_role("button", name="Delete:")).first
    row = book(page, str(row.get_attribute("data-model")))  # its button has another word once it is pressed
    run(page)
    finished(page)
    row.get_by_role("button", name="Delete:").click()
    row.get_by_role("button", name=re.compile(r"Delete [\d.]+ \w+\?")).click()
    expect(row.get_by_role("button", name="Get")).to_be_visible(timeout=SLOW)
