"""The gallery: a card is chosen and its recording plays at once; its address opens to it again."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.steps import drawn, menu, numbers, side
from tests.browser.visit import Visitor


def test_a_run_of_the_gallery_replays_at_once_and_has_an_address(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    menu(page)
    page.get_by_role("button", name="Gallery", exact=True).click()
    cards = page.locator("dialog.gallery li")
    expect(cards).to_have_count(13)
    for number in range(13):
        expect(cards.nth(number).locator(".words span").first).not_to_be_empty()  # it was coloured squares
    for title, colours in (("A sudoku, surest first", 11), ("Never wrong, and yet", 1)):  # one look has one colour
        expect(cards.filter(has_text=title).locator(".words span")).to_have_count(colours)
    cards.filter(has_text="A sudoku, surest first").click()
    expect(page.locator("dialog.gallery")).to_be_hidden()
    expect(side(page)).to_have_attribute("data-source", "replay")
    expect(page.locator(".say .status")).to_contain_text("A sudoku, surest first.")
    page.wait_for_function("unmask.sides[0].moments.length === 16")
    other = visitor.open(more="#gallery=sudoku", reduced_motion="reduce")
    other.wait_for_function("unmask.sides[0].moments.length === 16")
    expect(other.locator(".say .status")).to_contain_text("A sudoku, surest first.")


def test_back_closes_what_covers_the_page_and_only_then_leaves(visitor: Visitor) -> None:
    """Back left the site while the gallery was open, and on a phone while a lesson or the class takes its width."""
    page = visitor.open(reduced_motion="reduce", width=390, height=844)
    before = page.url
    gallery, lessons, klass = (page.locator(name) for name in ("dialog.gallery", ".lessons", ".class-drawer"))
    for name, panel in (("Gallery", gallery), ("Lessons", lessons), ("Class", klass)):
        if name != "Lessons":
            menu(page)
        page.get_by_role("button", name=name, exact=True).click()
        expect(panel).to_be_visible()
        page.go_back()
        expect(panel).to_be_hidden()
        assert page.url == before
    menu(page)
    page.get_by_role("button", name="Gallery", exact=True).click()
    page.keyboard.press("Escape")  # its place in the history goes too
    expect(gallery).to_be_hidden()
    page.wait_for_function("!history.state?.covered")
    menu(page)
    page.get_by_role("button", name="Gallery", exact=True).click()
    gallery.locator("li").filter(has_text="A sudoku, surest first").click()
    expect(gallery).to_be_hidden()
    page.wait_for_function("unmask.sides[0].moments.length === 16 && location.hash === '#gallery=sudoku'")
    page.go_back()
    assert page.url == before
    expect(gallery).to_be_hidden()


SLOW = """
const real = globalThis.fetch;
globalThis.fetch = async (at, ...more) => {
  const answer = await real(at, ...more);
  if (!/trace[.]jsonl/.test(at) || /gallery/.test(at)) return answer;
  await new Promise((done) => {
    const look = () => (globalThis.unmask?.met ? done() : requestAnimationFrame(look));
    look();
  });
  setTimeout(() => (globalThis.late = true));
  return answer;
};
"""


def test_the_first_view_that_comes_late_leaves_a_run_of_the_gallery_where_it_is(visitor: Visitor) -> None:
    """It took the stage from the gallery's run whenever its own, larger files came last."""
    page = visitor.open(more="#gallery=sudoku", reduced_motion="reduce", before=SLOW)
    page.wait_for_function("globalThis.late === true")
    drawn(page)
    assert page.evaluate("unmask.sides[0].moments.length") == 16
    page.evaluate("unmask.player.seek(Infinity)")
    expect(page.locator(".say")).to_contain_text("Diffusion finished after")
    expect(numbers(page, 1).locator(".meters")).to_be_hidden()


@pytest.mark.long
def test_no_line_begins_with_a_piece_that_leans_on_the_word_before(visitor: Visitor) -> None:
    """The second piece of a word that had no room left began a line, and was cut at its edge."""
    page = visitor.open(more="#gallery=voices", reduced_motion="reduce")
    for width in (390, 700, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.reload()
        expect(page.locator("unmask-stage")).to_have_attribute("data-ready", "yes")
        page.wait_for_function("unmask.sides[0].moments.length > 5 && unmask.sides[0].session")
        page.evaluate("unmask.player.seek(Infinity)")
        drawn(page)
        rows = page.evaluate(BEGIN)
        assert rows["leaning"] > 10 and rows["wrong"] == [], width


BEGIN = """() => {
  const cells = [...document.querySelectorAll('.side[data-side="0"] .cell')].filter((cell) => cell.offsetParent);
  // what follows a line break begins a line by right
  const broken = (cell) => cells[cells.indexOf(cell) - 1]?.matches(".blank");
  const leaning = cells.filter((cell) => cell.matches(".joined:not(:first-child)") && !broken(cell));
  const bottom = (cell) => cell.getBoundingClientRect().bottom;
  const wrong = leaning.filter((cell) => Math.abs(bottom(cell) - bottom(cells[cells.indexOf(cell) - 1])) > 8);
  return { leaning: leaning.length, wrong: wrong.map((cell) => cell.textContent) };
}"""
