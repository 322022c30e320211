"""A lesson in a real browser: opened, predicted, played, checked, remembered, printed; and in Italian."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import numbers, side
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
    page.get_by_role("button", name="Lezioni", exact=True).click()
    expect(page.locator("aside.lessons h2")).to_have_text("Dodici brevi lezioni")


@pytest.mark.parametrize(
    "language, theme, lesson, button, first",
    [("en", "light", "03", "Worksheet", "Name:"), ("it", "dark", "07", "Scheda", "Nome:")],
)
def test_a_lesson_is_printed_alone_and_whole(
    visitor: Visitor, language: str, theme: str, lesson: str, button: str, first: str
) -> None:
    page = visitor.open(theme=theme, width=794, more=f"&lang={language}&lesson={lesson}", reduced_motion="reduce")
    page.evaluate("() => { globalThis.prints = 0; globalThis.print = () => { globalThis.prints += 1; }; }")
    press = page.locator("aside.lessons").get_by_role("button", name=button, exact=True)
    press.click()
    press.click()  # a browser that never said that printing is over leaves no second sheet
    assert page.evaluate("prints") == 2
    sheet = page.locator("body > .sheet")
    expect(sheet).to_have_count(1)
    expect(sheet).to_be_hidden()
    page.emulate_media(media="print")
    expect(sheet).to_be_visible()
    expect(sheet).to_contain_text(first)
    expect(page.locator("body > :not(.sheet):visible")).to_have_count(0)
    assert sheet.evaluate(
        "(node) => [getComputedStyle(node).color, getComputedStyle(document.body).backgroundColor]"
    ) == [
        "rgb(0, 0, 0)",
        "rgb(255, 255, 255)",
    ]
    cut = """(sheet) => [sheet, ...sheet.querySelectorAll("*")].filter((node) => {
        const { left, right } = node.getBoundingClientRect();
        return left < 0 || right > innerWidth || node.scrollWidth > node.clientWidth + 1 && node.clientWidth;
    }).map((node) => node.textContent)"""
    assert sheet.evaluate(cut) == []
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))
    assert 2 <= pages <= 3  # the second is for the teacher; fonts differ from machine to machine
    page.emulate_media(media="screen")
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    expect(sheet).to_have_count(0)


def test_the_stages_own_words_are_in_the_pages_language(visitor: Visitor) -> None:
    page = visitor.open(more="&lang=it", reduced_motion="reduce")
    for name in ("Lezioni", "Classe", "Un passaggio indietro", "Dirama qui"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    badge = numbers(page).locator(".badge")
    expect(badge).to_have_text("registrazione")
    expect(page.locator(".say")).to_contain_text("Due modelli scriveranno lo stesso testo.")
    expect(page.locator(".legend")).to_contain_text("fissata da te")
    expect(numbers(page).locator('[data-meter="finished"] dt')).to_have_text("finito")
    expect(numbers(page).locator(".state")).to_have_text(re.compile(r"^passaggio \d+ di \d+$"))
