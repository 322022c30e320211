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


def test_back_closes_what_covers_the_page_and_only_then_leaves(visitor: Visitor) -> None:
    """Back left the site while the gallery was open, and on a phone while a lesson or the class takes its width."""
    page = visitor.open(reduced_motion="reduce", width=390, height=844)
    before = page.url
    gallery, lessons, klass = (page.locator(name) for name in ("dialog.gallery", ".lessons", ".class-drawer"))
    for name, panel in (("Gallery", gallery), ("Lessons", lessons), ("Class", klass)):
        page.get_by_role("button", name=name, exact=True).click()
        expect(panel).to_be_visible()
        page.go_back()
        expect(panel).to_be_hidden()
        assert page.url == before
    page.get_by_role("button", name="Gallery", exact=True).click()
    page.keyboard.press("Escape")  # its place in the history goes too
    expect(gallery).to_be_hidden()
    page.wait_for_function("!history.state?.covered")
    page.get_by_role("button", name="Gallery", exact=True).click()
    gallery.locator("li").filter(has_text="A sudoku, surest first").click()
    expect(gallery).to_be_hidden()
    page.wait_for_function("unmask.sides[0].moments.length === 16 && location.hash === '#gallery=sudoku'")
    page.go_back()
    assert page.url == before
    expect(gallery).to_be_hidden()
