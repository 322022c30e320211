"""Real families on the page: a tiny ModernBERT fills blanks, a tiny DiffusionGemma changes words instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import deeper, name_model, pace, side
from tests.long import mostly_long
from tests.models import forge

JOURNEY = """() => unmask.sides[0].moments.map((m) => [...m.tokens])"""
KINDS = """() => unmask.sides[0].moments.map((m) => [...m.kinds])"""
OPEN = 1
FORGES: dict[str, Callable[[Path], Any]] = {
    "ModernBERT-base": forge.FAMILIES["ModernBERT-base"],
    "diffusiongemma": forge.diffusion_gemma,
}


@pytest.mark.parametrize("name", mostly_long(["ModernBERT-base", "diffusiongemma"], ["diffusiongemma"]))
def test_a_tiny_checkpoint_made_on_the_spot_denoises_on_the_page(name: str, page: Page, tmp_path: Path) -> None:
    FORGES[name](tmp_path)
    deeper(page, "how")
    page.get_by_role("spinbutton", name="Length").fill("32")
    page.keyboard.press("Enter")
    pace(page, "as it comes")
    name_model(page, tmp_path)
    page.get_by_role("button", name="Open as diffusion").click()
    expect(side(page)).to_have_attribute("data-source", "live")
    page.wait_for_function("(path) => unmask.models[0] === path && unmask.sides[0].done", arg=str(tmp_path))
    tokens, kinds = page.evaluate(JOURNEY), page.evaluate(KINDS)
    still_open = [
        (before[i], after[i])
        for before, after, was, now in zip(tokens, tokens[1:], kinds, kinds[1:], strict=False)
        for i in range(len(after))
        if was[i] == now[i] == OPEN
    ]
    assert OPEN not in kinds[-1] and len(tokens) > 2
    if name == "diffusiongemma":
        assert still_open and all(a >= 0 and b >= 0 for a, b in still_open)  # never a blank
        assert sum(a != b for a, b in still_open) > len(still_open) / 2  # thrown anew at every pass
    else:
        assert still_open and all(a < 0 and b < 0 for a, b in still_open)
