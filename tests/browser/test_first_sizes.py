"""How the first view is measured: letters, the share of canvas, the phone, the first half minute of a first visit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import LEAST, cell, drawn, side, word
from tests.browser.visit import Visitor
from tests.long import mostly_long
from unmask.paths import ASSETS

LETTERS = """() => Math.min(...[...document.querySelectorAll(".paper .cell")]
    .map((cell) => parseFloat(getComputedStyle(cell).fontSize)))"""
SHARE = """() => {
  let area = 0;
  for (const side of document.querySelectorAll(".side")) {
    const box = side.getBoundingClientRect();
    area += Math.max(0, box.width) * Math.max(0, Math.min(innerHeight, box.bottom) - Math.max(0, box.top));
  }
  return area / (innerWidth * innerHeight);
}"""
SHIFTS = """() => { window.shift = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true }); }"""

# whether a letter is drawn outside of its side's box
CUT = """() => [...document.querySelectorAll(".side")].some((side) => {
    const [paper, box] = [side.querySelector(".paper"), side.getBoundingClientRect()];
    return [...paper.querySelectorAll("[data-cell]")].some((one) => {
      const at = one.getBoundingClientRect();
      return at.width && (at.right > box.right + 1 || at.bottom > box.bottom + 1);
    });
})"""


@pytest.fixture
def shipped(rerecorded: Path) -> Path:
    """The recordings that the page is shipped with."""
    for name in ("first.diffusion.trace.jsonl", "first.twin.trace.jsonl"):
        shutil.copy(ASSETS / "traces" / name, rerecorded / name)
    return rerecorded


def at_rest(visitor: Visitor, width: int, height: int, theme: str = "light") -> Page:
    page = visitor.open(theme=theme, width=width, height=height, reduced_motion="reduce", deep=False)
    page.evaluate("unmask.player.seek(Infinity)")
    expect(page.locator("unmask-stage")).to_have_attribute("data-state", "finished")
    drawn(page)
    return page


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(
    ("width", "height", "theme", "least"),
    mostly_long(LEAST, [LEAST[2], LEAST[4]]),  # test_reach.py has the others
)
def test_the_first_text_is_as_large_as_the_box_allows(
    visitor: Visitor, width: int, height: int, theme: str, least: float
) -> None:
    page = at_rest(visitor, width, height, theme)
    assert page.evaluate(LETTERS) >= least
    assert page.evaluate(CUT) is False


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(("width", "height"), mostly_long([(1440, 900), (390, 844)], [(390, 844)]))
def test_most_of_the_first_view_is_canvas(visitor: Visitor, width: int, height: int) -> None:
    page = at_rest(visitor, width, height)
    assert page.evaluate(SHARE) >= 0.6
    assert page.evaluate("document.documentElement.scrollHeight") <= max(950, height)


@pytest.mark.usefixtures("shipped")
@pytest.mark.long
def test_a_first_visit_is_shown_something_at_once_and_invited_soon(visitor: Visitor) -> None:
    page = visitor.open(width=1440, height=900, deep=False, before=f"({SHIFTS})()")
    slip = side(page).locator(".slip")
    expect(slip).to_contain_text("it guesses every word at once")
    expect(slip).to_contain_text("change a word yourself", timeout=20_000)
    assert page.evaluate("window.shift ?? 0") <= 0.01


@pytest.mark.usefixtures("shipped")
def test_escape_closes_the_word_and_gives_the_focus_back(visitor: Visitor) -> None:
    page = at_rest(visitor, 1440, 900)
    cell(page, 40).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(word(page, 40)).to_be_focused()
    page.get_by_role("button", name="try another").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="try another")).to_have_attribute("aria-expanded", "false")


@pytest.mark.usefixtures("shipped")
def test_a_word_of_ones_own_is_typed_between_the_lines_and_no_line_is_cut(visitor: Visitor) -> None:
    """What opens under the word is higher than the room that the letters left for it: the papers grow."""
    page = at_rest(visitor, 1024, 768)
    before = page.locator(".paper").first.bounding_box()
    cell(page, 40).click()
    page.get_by_role("button", name="my own word").click()
    page.wait_for_function(f"!({CUT})()")
    expect(page.get_by_label("Your own word")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.wait_for_function(
        "(height) => Math.abs(document.querySelector('.paper').offsetHeight - height) <= 2",
        arg=before and before["height"],
    )
