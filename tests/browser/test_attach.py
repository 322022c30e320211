"""A model that another server runs, opened on the page: watched, steered, and used again after its server was away."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import cell, decoder, finished, name_model, pace, pinned, run, words
from tests.serve.process import started

REMOTE = "unmask.sides[0].head.model?.family === 'attach'"


@pytest.mark.long
def test_a_model_of_another_server_is_watched_and_steered(page: Page, tmp_path: Path) -> None:
    door = started(tmp_path / "one", "--model", "toy")
    try:
        name_model(page, f"attach:{door.url}/v1")
        page.get_by_role("button", name="Open as diffusion").click()
        page.wait_for_function(REMOTE)
        page.get_by_text("What writes on each side").click()
        page.get_by_label("Model beside it").select_option("toy")
        page.wait_for_function("unmask.sides[1].head.model?.family === 'toy'")
        expect(page.locator(".models .now")).to_contain_text(f"127.0.0.1:{door.port}")
        page.keyboard.press("Escape")
        run(page, length=32)
        finished(page)
        expect(page.locator(".say")).to_contain_text("One of the two runs on another machine")
        for name, why in (("draft-and-proofread", "left to right"), ("wino", "one word at a time")):
            other = decoder(page, name)
            expect(other).to_be_disabled()
            assert why in str(other.locator("xpath=..").get_attribute("title"))
        expect(decoder(page, "fast-dllm")).to_be_enabled()
        before = words(page)
        cell(page, 20).click()
        page.keyboard.type("7")
        page.keyboard.press("Enter")
        pinned(cell(page, 20))
        finished(page)
        after = words(page)
        assert after[20] == "7" and after != before

        pace(page, "80 × slower")
        page.evaluate("unmask.values.passes = 160")
        run(page, length=160)  # long, and not the same canvas again, whose passes the host has kept
        page.wait_for_function(
            "!unmask.next && unmask.sides[0].moments[0].tokens.length > 160 && unmask.sides[0].moments.length > 2"
        )
        door.stop(signal.SIGKILL)
        expect(page.locator(".say")).to_contain_text("cannot be reached")
        assert page.evaluate("unmask.sides[0].moments.length") > 2  # what it wrote stays
    finally:
        if door.process.poll() is None:
            door.stop(signal.SIGKILL)
    again = started(tmp_path / "two", "--model", "toy", port=door.port)
    try:
        pace(page, "as it comes")
        run(page, length=32)
        finished(page)
        assert words(page) == before
    finally:
        again.stop(signal.SIGKILL)
