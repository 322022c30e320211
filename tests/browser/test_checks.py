"""Checks on the page: chosen by a click, seen where they find something, in the sentence, in a word and in a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.steps import deeper, pace
from tests.browser.visit import Visitor

ORDER = {"prompt": "User: 86 + 4\nAssistant:", "length": 24, "preset": "fast-dllm"}
FINDING = "unmask.sides[0].moments.findIndex((moment) => moment.event?.edit?.do === 'find')"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_a_wrong_sum_opens_again_and_the_page_says_why(visitor: Visitor, width: int, height: int) -> None:
    page = visitor.open(width=width, height=height, reduced_motion="reduce")
    pace(page, "as it comes")
    deeper(page, "how")
    page.get_by_role("button", name="A rule for the text").click()
    page.get_by_label("Sums are right").check()
    page.wait_for_function("unmask.values.checks?.includes('sums')")
    order = {**ORDER, "checks": ["sums"]}
    page.evaluate(f"unmask.setModels(['denoiser', 'twin']); unmask.run({json.dumps(order)}, true)")
    page.wait_for_function(
        "unmask.sides[0].source === 'live' && unmask.sides.every(({ done }) => done)", timeout=240_000
    )
    assert page.evaluate("unmask.sides[0].head.settings.checks") == ["sums"]
    expect(page.locator(".say .status")).to_contain_text("Nothing else was found.")
    expect(page.locator(".paper .cell.healed").first).to_be_attached()
    assert "M" in (page.locator(".time path.found").get_attribute("d") or "")
    page.evaluate(f"unmask.player.seek(unmask.player.pace.axis === 'pass' ? {FINDING} : 0)")
    at = page.evaluate(FINDING)
    while (shown := page.evaluate("unmask.player.at(0)")) != at:
        page.evaluate(f"unmask.player.step({1 if shown < at else -1})")
    expect(page.locator(".slip.check")).to_have_text("86 + 4 is 90")
    expect(page.locator(".paper .cell.found").first).to_be_attached()


def test_a_file_with_findings_shows_them(visitor: Visitor, tmp_path: Path) -> None:
    import unmask

    file = tmp_path / "checked.trace.jsonl"
    unmask.decode(ORDER["prompt"], checks=["sums"], length=24).save(file)  # type: ignore[arg-type]
    page = visitor.open(reduced_motion="reduce", deep=False)
    page.evaluate(
        "async (text) => unmask.recordings.openFiles([new File([text], 'checked.trace.jsonl')])", file.read_text()
    )
    page.wait_for_function(f"{FINDING} > 0")
    page.evaluate("unmask.player.seek(Infinity)")
    expect(page.locator(".say .status")).to_contain_text("This is a recording")
    assert "elsewhere" not in page.locator(".say .status").inner_text()
    expect(page.locator(".paper .cell.healed").first).to_be_attached()
