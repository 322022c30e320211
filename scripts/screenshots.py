"""Takes a screenshot of every state of the page and of every lesson, into shots/: `make shots`.

`make shots ARGS="paused lesson-it-04"` takes these alone, and `LOOK="light-1280 dark-390"` only these looks.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import steps
from tests.browser.recorded import pair
from tests.browser.visit import CONTROLLER, served
from unmask.paths import ASSETS
from unmask.serve.runtime import Runtime
from unmask.ui.app import serve
from unmask.ui.examples import examples
from unmask.ui.lessons import languages, lessons

SHOTS = Path("shots")
expect.set_options(timeout=60_000)  # a shared machine
SHIPPED = (ASSETS / "models/denoiser/config.json").exists()
WORD = "garden" if SHIPPED else "7"  # without weights the toy model is used, whose words are numbers


def loading(page: Page) -> None:
    expect(page.locator("unmask-stage")).to_have_attribute("data-ready", "yes")


def replaying(page: Page) -> None:
    steps.advanced(page, 5)


def running(page: Page) -> None:
    steps.run(page, "look by look")
    steps.advanced(page, 3)


def paused(page: Page) -> None:
    replaying(page)
    page.get_by_role("button", name="Pause").click()
    steps.paused(page)


def inspected(page: Page) -> None:
    paused(page)
    steps.deeper(page)
    steps.side(page).locator(".cell.written").first.click()
    expect(page.locator(".inspector .candidates button")).not_to_have_count(0)


def pinned(page: Page) -> None:
    running(page)
    steps.deeper(page)
    steps.cell(page, 40).click()
    page.get_by_label("Word to pin").fill(WORD)
    page.get_by_role("button", name="Pin", exact=True).click()
    steps.pinned(steps.cell(page, 40))


def finished(page: Page) -> None:
    steps.run(page)
    steps.finished(page)
    steps.paused(page)


def forked(page: Page) -> None:
    finished(page)
    steps.deeper(page)
    page.get_by_role("button", name="To the start").click()
    steps.cell(page, 20).click()
    page.get_by_label("Word to pin").fill(WORD)
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(steps.side(page)).to_have_attribute("data-branches", "1")
    steps.finished(page)


def refused(page: Page) -> None:
    running(page)
    steps.deeper(page)
    steps.cell(page, 0).click()
    page.get_by_role("button", name="Erase").click()
    expect(page.locator(".status.refused")).not_to_be_empty()


def lost(page: Page) -> None:
    running(page)
    # otherwise the page would reconnect before the screenshot
    page.evaluate("WebSocket = class extends EventTarget {}")
    page.evaluate("unmask.connection.socket.close()")
    expect(page.locator("unmask-stage")).to_have_attribute("data-link", "lost")


def models(page: Page) -> None:
    finished(page)
    steps.models(page)
    page.get_by_text("What writes on each side").click()
    expect(page.locator(".models .cards")).to_contain_text("denoiser" if SHIPPED else "toy")


def file(page: Page) -> None:
    finished(page)
    with page.expect_download() as coming:
        steps.side(page).get_by_text("Save run").click()
    page.locator("input[type=file]").first.set_input_files(coming.value.path())
    expect(steps.side(page)).to_have_attribute("data-source", "replay")


def drawn(page: Page) -> None:
    knobs(page)
    page.locator("#schedule input").click()
    page.get_by_role("option", name="drawn by hand").click()
    page.get_by_role("slider", name="Part 3 of 16").press("End")


def waiting(page: Page) -> None:
    """Another visitor uses the only place."""
    if page.context.browser:
        other = page.context.browser.new_page()
        other.goto(page.url)
        steps.run(other, "look by look")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(steps.side(page).locator(".waits")).to_be_visible()


def knobs(page: Page) -> None:
    paused(page)
    steps.more_settings(page)
    expect(page.locator("#schedule")).to_be_visible()


def curves(page: Page) -> None:
    finished(page)
    steps.deeper(page)
    page.get_by_role("tab", name="Curves").click()
    page.locator("unmask-curves").scroll_into_view_if_needed()
    expect(page.locator(".curves svg").first).to_be_visible()


def example(number: int) -> Callable[[Page], None]:
    """An example, run to its end."""

    def state(page: Page) -> None:
        loading(page)
        page.get_by_role("button", name="Pause").click()
        steps.pace(page, "as it comes")
        steps.another(page)
        page.get_by_role("button", name=examples()[number].opening).click()
        expect(steps.side(page)).to_have_attribute("data-source", "live", timeout=30_000)
        steps.finished(page)
        steps.paused(page)

    state.__name__ = f"example{number + 1}"
    return state


def lesson(language: str, number: int) -> Callable[[Page], None]:
    """A lesson, with a prediction chosen and its first run played to the end."""

    def state(page: Page) -> None:
        page.goto(f"{page.url}&lang={language}")
        page.get_by_role("button", name="Lessons", exact=True).click()
        page.locator(".lessons-list button").nth(number).click()
        page.locator(".lesson-predict button").first.click()
        steps.pace(page, "as it comes")
        before = page.evaluate("unmask.sides[0]?.session ?? null")
        page.locator(".lesson-play").first.click()
        page.wait_for_function("(one) => (unmask.sides[0]?.session ?? null) !== one", arg=before)
        expect(steps.side(page)).to_have_attribute("data-done", "true")
        page.locator(".lessons-body").evaluate("(body) => body.scrollTo(0, 0)")

    state.__name__ = f"lesson-{language}-{lessons(language)[number].name[:2]}"
    return state


STATES: list[Callable[[Page], None]] = [
    loading,
    replaying,
    running,
    paused,
    inspected,
    pinned,
    finished,
    forked,
    refused,
    lost,
    knobs,
    curves,
    models,
    file,
    drawn,
    waiting,
    *([example(i) for i in range(6)] if SHIPPED else []),
    *[lesson(language, i) for language in languages() for i in range(len(lessons(language)))],
]
LOOK = os.environ.get("LOOK", "light-1280 dark-1280 projector-1920 light-390 dark-390").split()
HEIGHTS = {390: 844, 1280: 900, 1440: 900, 1920: 1080}


def shoot(browser: Browser, address: str, state: Callable[[Page], None], look: tuple[str, int, int]) -> None:
    """Take a screenshot of one state in one look: theme, width and height."""
    theme, width, height = look
    page = browser.new_page(viewport={"width": width, "height": height})
    page.add_init_script(CONTROLLER)
    page.goto(f"{address}?theme={theme}")
    expect(page.locator("unmask-stage")).to_have_attribute("data-ready", "yes")
    state(page)
    course = state.__name__.startswith("lesson-")
    whole = not course and state not in (loading, replaying)  # the first views are shown without scrolling
    if course and width > 1000:  # the whole lesson beside the stage
        tall = page.locator(".lessons-body").evaluate("(body) => body.scrollHeight") + 60
        page.set_viewport_size({"width": width, "height": max(height, min(tall, 3000))})
    if whole:  # elements below the window are drawn only when they become visible
        tall = page.evaluate("document.documentElement.scrollHeight")
        page.set_viewport_size({"width": width, "height": min(tall, 6000)})
        page.evaluate("new Promise((seen) => requestAnimationFrame(() => setTimeout(seen, 400)))")
    page.screenshot(path=SHOTS / f"{state.__name__}-{theme}-{width}.png", full_page=whole)
    for context in browser.contexts:
        context.close()


@contextmanager
def home() -> Iterator[str]:
    """The app with the bundled pair; without weights, with the toy model and recordings of it."""
    if not SHIPPED:
        with served(pair(SHOTS / ".traces"), Runtime()) as address:
            yield address
        return
    blocks = serve(runtime=Runtime(), prevent_thread_lock=True, quiet=True)
    yield blocks.local_url
    blocks.close(verbose=False)


def warm_up(browser: Browser, address: str) -> None:
    """Open the models before the first screenshot."""
    page = browser.new_page()
    page.add_init_script(CONTROLLER)
    page.goto(address)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_function("unmask.sides.every((side) => side.moments.length > 1)", timeout=120_000)
    page.context.close()


def main(wanted: list[str]) -> None:
    """Take screenshots of all states, or of those named."""
    if unknown := {*wanted} - {state.__name__ for state in STATES}:
        raise SystemExit(
            f"unknown state: {', '.join(sorted(unknown))}; the states are {', '.join(s.__name__ for s in STATES)}"
        )
    SHOTS.mkdir(exist_ok=True)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with home() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        warm_up(browser, address)
        for state in STATES:
            for theme, _, width in (look.partition("-") for look in LOOK):
                if not wanted or state.__name__ in wanted:
                    shoot(browser, address, state, (theme, int(width), HEIGHTS[int(width)]))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
