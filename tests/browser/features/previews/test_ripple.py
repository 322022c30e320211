"""Resting on another word shows what would follow: no word moves, nothing is recorded, and choosing goes on from it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import SHORT, drawn, finished, run
from tests.browser.visit import Visitor

LATER = """() => {
    const { moments } = unmask.sides[0];
    const { kinds, since, confidence } = moments.at(-1);
    const late = (cell) => since[cell] > 1 && since[cell] < moments.length - 2;
    return [...kinds.keys()].find((cell) => kinds[cell] === 3 && late(cell) && confidence[cell] < 0.8);
}"""
PLACES = """() => [...document.querySelectorAll(".side .cell")].map((one) => one.style.translate).join()
    + [...document.querySelectorAll(".slip")].map((one) => one.offsetHeight).join()"""
RECORDED = """() => JSON.stringify(unmask.sides.map((one) => [one.session, one.n, one.moments.length, one.heads]))
    + unmask.undo.past.length + unmask.player.head.at + location.href"""


def opened(page: Page) -> Locator:
    """The words that might stand where one was written in the middle of the run; the others than that one."""
    cell = page.evaluate(LATER)
    page.locator(f'.side[data-side="0"] [data-cell="{cell}"]').click()
    others = page.locator(".slip .words button:not([aria-current])")
    expect(others.first).to_be_visible()
    drawn(page)
    return others


def follows(page: Page) -> None:
    """The whole of what would follow is there."""
    expect(page.locator(".slip .says")).to_have_text(
        re.compile(r": (nothing else would change|(one|\d+) more would follow)$")
    )


@pytest.mark.parametrize("live", [False, True], ids=["a recording", "a run"])
def test_resting_shows_what_would_follow_and_choosing_is_that_run(visitor: Visitor, live: bool) -> None:
    page = visitor.open(reduced_motion="reduce", deep=False)
    if live:
        run(page, length=SHORT)
        finished(page)
    page.evaluate("unmask.player.seek(Infinity)")
    drawn(page)
    others = opened(page)
    before, places = page.evaluate(RECORDED), page.evaluate(PLACES)
    wanted = others.first.inner_text().split("\n")[0].strip()
    others.first.hover()
    follows(page)
    expect(page.locator('.side[data-side="1"] .how')).to_have_text("stands: it never goes back")
    expect(page.locator(".announcements")).to_contain_text("would")
    assert wanted in page.locator(".may").all_text_contents()
    ghosts = page.evaluate("document.querySelector('unmask-stage').wordPopover.preview.state.answer.text.words.length")
    assert page.evaluate(PLACES) == places and page.evaluate(RECORDED) == before
    assert page.evaluate("getComputedStyle(document.querySelector('.may > span')).animationName") == "none"
    page.mouse.move(2, 2)
    expect(page.locator(".may")).to_have_count(0)
    expect(page.locator('.side[data-side="1"] .how')).to_have_text("autoregressive")
    sent = listen(page)
    others.first.hover()  # the second visit asks nobody
    follows(page)
    assert page.evaluate("window.sent.length") == sent
    others.first.click()
    expect(page.locator(".may")).to_have_count(0)
    finished(page)
    says = {0: "nothing else changed", 1: "one more followed"}.get(ghosts, f"{ghosts} more followed")
    expect(page.locator(".say > .first")).to_contain_text(says)


def listen(page: Page) -> int:
    """Keep the messages that are sent from now on."""
    page.evaluate(
        """() => {
            const { connection } = unmask, { send } = connection;
            window.sent = [];
            connection.send = (message) => { window.sent.push(message.do); send.call(connection, message); };
        }"""
    )
    return 0


def test_by_keyboard_alone(page: Page) -> None:
    run(page, length=SHORT)
    finished(page)
    cell = page.evaluate(LATER)
    page.locator(f'.side[data-side="0"] [data-cell="{cell}"]').focus()
    page.evaluate("document.querySelector('unmask-stage').deepen(false)")
    page.keyboard.press("Enter")
    expect(page.locator(".slip .words button").nth(1)).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".slip .words button").nth(1)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    for button in (0, 1):
        one = page.locator(".slip .words button").nth(button)
        if one.get_attribute("aria-current") is None:
            one.focus()
            break
    follows(page)
    expect(page.locator(".announcements")).to_contain_text("would")
    page.keyboard.press("Escape")
    expect(page.locator(".may")).to_have_count(0)
    expect(page.locator(f'.side[data-side="0"] [data-cell="{cell}"]')).to_be_focused()


def test_a_finger_that_holds_sees_and_one_that_taps_chooses(visitor: Visitor) -> None:
    page = visitor.open(width=390, height=844, has_touch=True, reduced_motion="reduce", deep=False)
    run(page, length=SHORT)
    finished(page)
    others = opened(page)
    expect(page.locator(".slip .says")).to_have_text("hold a word to see what follows")
    box: Any = others.first.bounding_box()
    finger = page.context.new_cdp_session(page)
    points = [{"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}]
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points})
    follows(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator(".may")).to_have_count(0)
    expect(page.locator(".slip.pop")).to_be_visible()  # nothing was chosen
    assert page.evaluate("unmask.sides[0].branch") == "1"
    others.first.tap()
    page.wait_for_function("unmask.sides[0].branch === '2'")
    finished(page)
