"""A lesson in a real browser: opened, predicted, played, checked, remembered, printed; and in Italian."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import deeper, numbers, side
from tests.browser.visit import Visitor
from tests.long import mostly_long
from unmask.config import config


def opened(visitor: Visitor, lesson: str, **more: Any) -> tuple[Page, Locator]:
    page = visitor.open(more=f"&lesson={lesson}", reduced_motion="reduce", deep=False, **more)
    drawer = page.locator("aside.lessons")
    expect(drawer.locator("article")).to_be_visible()
    return page, drawer


def play(drawer: Locator, name: str) -> Locator:
    """The goals of a run that is played to its end."""
    drawer.get_by_role("button", name=f"▶ {name}", exact=True).click()
    goals = drawer.locator(".lesson-play", has_text=name).locator("+ .lesson-goals")
    expect(goals).to_have_attribute("data-state", "over")
    return goals


RIGHT, WRONG = (1, "Yes. Here “3 3” came out"), (0, "Not quite. The beliefs are exact, and")


@pytest.mark.parametrize("answer, reply", mostly_long([RIGHT, WRONG], [WRONG]))
def test_a_lesson_is_predicted_played_and_checked(visitor: Visitor, answer: int, reply: str) -> None:
    page = visitor.open(reduced_motion="reduce")
    page.get_by_role("button", name="Lessons", exact=True).click()
    drawer = page.locator("aside.lessons")
    expect(drawer.locator(".lessons-list li")).to_have_count(13)
    drawer.get_by_role("button", name="Two words at once").click()
    step = drawer.get_by_role("button", name="Next", exact=True)
    expect(step).to_be_disabled()
    expect(drawer.get_by_role("button", name="Check", exact=True)).to_be_disabled()
    drawer.locator(".lesson-predict button").nth(answer).click()
    expect(drawer.locator(".lesson-predict .lesson-verdict")).to_contain_text("Now play it")
    step.click()
    expect(drawer.locator(".lesson-recalled")).to_contain_text("You said:")
    both = play(drawer, "Both at once")
    expect(side(page)).to_have_attribute("data-source", "live")
    expect(both.locator('[data-met="yes"]')).to_have_count(2)
    expect(step).to_be_disabled()  # one of two runs is played
    play(drawer, "One at a time")
    expect(drawer.locator(".lesson-predicted")).to_contain_text(reply)
    step.click()
    drawer.locator(".lesson-check button").nth(0).click()
    expect(drawer.locator(".lesson-check .lesson-verdict")).to_contain_text("it is right in 100 % of the cases")
    drawer.locator(".lesson-check button").nth(2).click()
    expect(drawer.locator(".lesson-check .lesson-verdict")).to_contain_text("Yes.")
    drawer.get_by_role("button", name="All lessons").click()
    expect(drawer.get_by_role("button", name="Two words at once ✓")).to_be_visible()
    drawer.get_by_role("button", name="Close").click()
    expect(drawer).to_be_hidden()


def test_a_goal_that_is_not_met_says_so(visitor: Visitor) -> None:
    _, drawer = opened(visitor, "04")
    drawer.locator(".lesson-predict button").nth(1).click()
    drawer.get_by_role("button", name="Next", exact=True).click()
    seed = drawer.get_by_role("slider").first
    for _ in range(2):
        seed.press("ArrowRight")
    goals = play(drawer, "Both at once")  # with seed 3 the row is right, by chance
    expect(goals.locator('[data-met="no"]')).to_have_text("– not this time: This row has a number twice")
    expect(goals.locator('[data-met="yes"]')).to_have_count(1)  # half of all draws are right with any seed


def test_a_number_in_the_prose_changes_the_next_run(visitor: Visitor) -> None:
    page, drawer = opened(visitor, "03")
    page.evaluate("() => { globalThis.opened = []; unmask.open = (message) => opened.push(message); }")
    drawer.locator(".lesson-predict button").first.click()
    drawer.get_by_role("button", name="Next", exact=True).click()
    number = drawer.get_by_role("slider").first
    number.press("ArrowRight")
    expect(number).to_have_attribute("aria-valuenow", "17")
    for button in drawer.locator(".lesson-play").all():
        button.click()
    passes = page.evaluate("() => opened.map((message) => message.sides[0].settings.passes ?? null)")
    assert passes == [2, 17, None]


def test_a_lesson_of_ones_own_is_opened_by_its_file(
    visitor: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my lesson.md").write_text(
        "---\nruns:\n  one:\n    button: Count\n    prompt: '3 14'\n    model: toy\n    length: 8\n"
        "    goals: {It takes some looks: looks > 0}\n---\n# Mine\n\n> A claim.\n\n```play\none\n```\n"
    )
    monkeypatch.setenv("UNMASK_LESSONS", str(tmp_path))
    config.cache_clear()
    page, drawer = opened(visitor, "my%20lesson.md")
    expect(drawer.locator("h2")).to_have_text("Mine")
    expect(play(drawer, "Count").locator('[data-met="yes"]')).to_have_text("✓ It takes some looks")
    (tmp_path / "my lesson.md").write_text("# Mine\n")
    page.reload()
    expect(page.locator("aside.lessons .lesson-trouble")).to_contain_text("my lesson.md, line 1: a lesson begins")
    config.cache_clear()


def test_the_course_is_there_in_italian(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce", locale="it-IT")
    page.get_by_role("button", name="Lezioni", exact=True).click()
    expect(page.locator("aside.lessons h2")).to_have_text("Brevi lezioni")


SHEETS = [("en", "light", "03", "Worksheet", "Name:"), ("it", "dark", "07", "Scheda", "Nome:")]


@pytest.mark.parametrize(
    "language, theme, lesson, button, first",
    mostly_long(SHEETS, [SHEETS[1]]),
)
def test_a_lesson_is_printed_alone_and_whole(
    visitor: Visitor, language: str, theme: str, lesson: str, button: str, first: str
) -> None:
    page = visitor.open(
        theme=theme, width=794, more=f"&lang={language}&lesson={lesson}", reduced_motion="reduce", deep=False
    )
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
    for name in ("Lezioni", "Condividi", "Uno sguardo indietro"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    deeper(page, "word")
    steer = page.get_by_role("group", name="Guida", exact=True)
    for name in ("Cancella", "Inserisci"):
        expect(steer.get_by_role("button", name=name, exact=True)).to_be_visible()
    steer.get_by_text("Altro", exact=True).click()
    for name in ("Togli", "Dirama qui"):
        expect(steer.get_by_role("button", name=name, exact=True)).to_be_visible()
    deeper(page, "run")
    badge = numbers(page).locator(".badge")
    expect(badge).to_have_text("registrazione")
    expect(page.locator(".say")).to_contain_text("Due modelli scriveranno lo stesso testo.")
    expect(page.locator(".marks-of-run h3")).to_have_text("Segni in questa esecuzione")
    expect(numbers(page).locator('[data-meter="finished"] dt')).to_have_text("finito")
    expect(numbers(page).locator(".state")).to_have_text(re.compile(r"^sguardo \d+ di \d+$"))
