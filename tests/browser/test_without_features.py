"""The page without a single feature: it opens, runs, steers and undoes."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.serve.process import free_port
from tests.test_features import without
from unmask.serve.features import NAMES

OVER = "document.querySelector('unmask-stage')?.dataset.run === 'over'"
TEXT = "document.querySelector('unmask-stage').controller.sides[0].moments.at(-1).tokens.join()"


@pytest.mark.long
@pytest.mark.skipif(not NAMES, reason="this is such a copy")
def test_the_stage_opens_runs_steers_and_undoes_without_any_feature(chromium: Browser, tmp_path: Path) -> None:
    copy, port = without(NAMES, tmp_path / "copy"), free_port()
    command = [sys.executable, "app.py", "--port", str(port)]
    process = subprocess.Popen(command, cwd=copy, env=os.environ.copy(), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    page = chromium.new_page(reduced_motion="reduce")
    try:
        for line in process.stdout:
            if str(port) in line:
                break
        urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=60)
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"http://127.0.0.1:{port}/")
        expect(page.locator("unmask-stage")).to_have_attribute("data-ready", "yes")
        page.get_by_role("button", name="Run", exact=True).click()
        page.wait_for_function(OVER, timeout=60_000)
        text = page.evaluate(TEXT)
        page.locator('.side[data-side="0"] [data-cell]').nth(40).click()
        other = page.locator('.slip .words button:not([aria-pressed="true"])')
        other.nth(1).click()
        page.wait_for_function(f"{OVER} && {TEXT} !== '{text}'", timeout=60_000)
        page.keyboard.press("Control+z")
        page.wait_for_function(f"{TEXT} === '{text}'", timeout=60_000)
        page.get_by_role("button", name="Look deeper").click()
        expect(page.locator("#dock-run")).to_be_visible()
        assert wrong == []
    finally:
        page.close()
        process.terminate()
        process.wait(60)
