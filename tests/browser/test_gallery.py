"""The gallery: a card is chosen and its recording plays at once; its address opens to it again."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.steps import side
from tests.browser.visit import Visitor


def test_a_run_of_the_gallery_replays_at_once_and_has_an_address(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    page.get_by_role("button", name="Gallery", exact=True).click()
    cards = page.locator("dialog.gallery li")
    expect(cards).to_have_count(12)
    for number in (0, 11):
        expect(cards.nth(number).locator("img")).to_have_js_property("complete", True)
    cards.filter(has_text="A sudoku, surest first").click()
    expect(page.locator("dialog.gallery")).to_be_hidden()
    expect(side(page)).to_have_attribute("data-source", "replay")
    expect(page.locator(".dock .status")).to_contain_text("A sudoku, surest first.")
    page.wait_for_function("unmask.sides[0].moments.length === 16")
    other = visitor.open(more="#gallery=sudoku", reduced_motion="reduce")
    other.wait_for_function("unmask.sides[0].moments.length === 16")
    expect(other.locator(".dock .status")).to_contain_text("A sudoku, surest first.")
