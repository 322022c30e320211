"""A lesson in a real browser: opened beside the stage, predicted, played, checked, remembered; and in Italian."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.steps import side
from tests.browser.visit import Visitor


def test_a_lesson_is_predicted_played_and_checked(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    page.get_by_role("button", name="Lessons", exact=True).click()
    drawer = page.locator("aside.lessons")
    expect(drawer.locator(".lessons-list li")).to_have_count(12)
    drawer.get_by_role("button", name="The price of parallelism").click()
    drawer.locator(".lesson-predict button").nth(1).click()
    drawer.locator(".lesson-play").first.click()
    expect(side(page)).to_have_attribute("data-source", "live")
    expect(side(page)).to_have_attribute("data-done", "true")
    drawer.locator(".lesson-check button").nth(2).click()
    expect(drawer.locator(".lesson-check .lesson-verdict")).to_contain_text("Yes.")
    drawer.get_by_role("button", name="All lessons").click()
    expect(drawer.get_by_role("button", name="The price of parallelism ✓")).to_be_visible()
    drawer.get_by_role("button", name="Close").click()
    expect(drawer).to_be_hidden()


def test_a_number_in_the_prose_changes_the_next_run(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    page.evaluate("() => { globalThis.opened = []; unmask.open = (message) => opened.push(message); }")
    page.get_by_role("button", name="Lessons", exact=True).click()
    drawer = page.locator("aside.lessons")
    drawer.get_by_role("button", name="How many passes?").click()
    number = drawer.get_by_role("slider").first
    number.press("ArrowRight")
    expect(number).to_have_attribute("aria-valuenow", "17")
    for button in drawer.locator(".lesson-play").all():
        button.click()
    passes = page.evaluate("() => opened.map((message) => message.sides[0].settings.passes ?? null)")
    assert passes == [2, 17, None]


def test_the_course_is_there_in_italian(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce", locale="it-IT")
    page.get_by_role("button", name="Lessons", exact=True).click()
    expect(page.locator("aside.lessons h2")).to_have_text("Dodici brevi lezioni")
