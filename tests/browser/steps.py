"""What a person does on the page, in a few words; each waits for what it caused."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from unmask.ui.examples import examples

SHORT = 48  # words of a run where it does not matter how many
LEAST = [  # of a page's size and theme, the smallest letters that the first text may have, in px
    (1440, 900, "light", 34),
    (1366, 768, "light", 29),
    (1024, 768, "dark", 25),
    (390, 844, "light", 16),
    (1920, 1080, "projector", 44),
]


def side(page: Page, number: int = 0) -> Locator:
    return page.locator(f'.side[data-side="{number}"]')


def cell(page: Page, place: int, number: int = 0) -> Locator:
    """The place of a word on the paper; its classes say how it looks."""
    return side(page, number).locator(f'.cell:has(> [data-cell="{place}"])')


def word(page: Page, place: int, number: int = 0) -> Locator:
    """The word itself: what is read, and what takes the focus."""
    return side(page, number).locator(f'[data-cell="{place}"]')


def numbers(page: Page, number: int = 0) -> Locator:
    """The numbers of a side, behind the first view."""
    return page.locator(f'.numbers[data-side="{number}"]')


def moment(page: Page, number: int = 0) -> int:
    return int(side(page, number).get_attribute("data-moment") or -1)


def advanced(page: Page, beyond: int, number: int = 0) -> None:
    """Wait until a side has passed a moment."""
    page.wait_for_function(
        f"Number(document.querySelector('.side[data-side=\"{number}\"]').dataset.moment) > {beyond}", timeout=60_000
    )


def pace(page: Page, name: str) -> None:
    """Choose a speed by its name, wherever the menu of speeds is at present."""
    page.evaluate(
        """async (name) => {
            await document.querySelector("unmask-stage").load();
            const menu = document.querySelector(".steps select");
            menu.selectedIndex = [...menu.options].findIndex((option) => option.text === name);
            menu.dispatchEvent(new Event("change"));
        }""",
        name,
    )


def deeper(page: Page, tab: str = "") -> None:
    """Open what is behind the first view; one of its pages, if it is named."""
    button = page.locator("button.deeper")
    if button.get_attribute("aria-expanded") != "true":
        button.click()
        expect(button).to_have_attribute("aria-expanded", "true")
    if tab:
        if page.locator("unmask-dock .models").is_visible():  # a page without tabs
            page.locator("unmask-dock .close").click()
            button.click()
        page.locator(f"#dock-tab-{tab}").click()


def many(page: Page, part: str) -> None:
    """Open one part of *Many runs*: the Lab, the Race, the Claims or the Decisions."""
    deeper(page, "many")
    back = page.locator("unmask-many-runs .back")
    if back.count():
        back.click()
    page.locator(f"unmask-many-runs [data-part={part}] button").click()


def more_settings(page: Page) -> None:
    """Open everything that can be set."""
    deeper(page, "how")
    page.get_by_text("More settings").click()


def decoder(page: Page, name: str) -> Locator:
    """A decoder among all of them."""
    deeper(page, "how")
    folded = page.locator("unmask-decoder-list details.all")
    if folded.get_attribute("open") is None:
        folded.locator("summary").click()
    return folded.locator(f"input[value='{name}']")


def every_number(page: Page, number: int = 0) -> Locator:
    """All numbers of a side, unfolded."""
    deeper(page, "run")
    folded = page.locator("details.all-numbers")
    if folded.get_attribute("open") is None:
        folded.locator("summary").click()
    return numbers(page, number)


def another(page: Page) -> None:
    """Open the other things to try."""
    button = page.get_by_role("button", name="try another")
    if button.get_attribute("aria-expanded") != "true":
        button.click()


def example(page: Page, name: str) -> None:
    """Take one of the examples, by the name of what it shows: its button says how its prompt begins."""
    another(page)
    (found,) = (one for one in examples() if one.name == name)
    page.get_by_role("button", name=found.opening, exact=True).click()


def share(page: Page) -> None:
    """Open what can be taken away, with nothing of it folded out."""
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.locator(".share details")).to_be_attached()
    page.evaluate("document.querySelector('.share details').open = false")


def open_class(page: Page) -> None:
    """Open the class, from the menu in the page's head."""
    menu(page)
    page.get_by_role("button", name="Class", exact=True).click()


def menu(page: Page) -> None:
    """Open the menu in the page's head."""
    button = page.locator("unmask-menu > button")
    if button.get_attribute("aria-expanded") != "true":
        button.click()


def models(page: Page) -> Locator:
    """Open the page of models."""
    page.get_by_role("button", name="Models", exact=True).click()
    found = page.locator("unmask-dock .models")
    expect(found).to_be_visible()
    return found


def name_model(page: Page, name: object) -> Locator:
    """Type a model's name or folder on the page of models; returns its row."""
    found = models(page)
    page.get_by_label("Another model").fill(str(name))
    row = found.locator(".own li")
    expect(row).to_be_visible()
    return row


def inspect(page: Page, place: int, number: int = 0) -> None:
    """Open the page of a word: press it, then *more*; beside the stage, pressing it is enough."""
    cell(page, place, number).click()
    if not page.evaluate("document.querySelector('unmask-stage').deep && innerWidth > 900"):
        page.get_by_role("dialog").get_by_role("button", name="more", exact=True).click()


def run(page: Page, at: str = "as it comes", length: int = 0) -> None:
    """Start a live run: with the button, or of another length than the controls say."""
    pace(page, at)
    before = page.evaluate("unmask.sides[0]?.session ?? null")
    if length:
        page.evaluate("(length) => void unmask.run({ length }, true)", length)
    else:
        page.get_by_role("button", name="Run", exact=True).click()
    # what stands stays until the first frame, but without its session; an old run that is over is not the new one
    new = "(before) => ![before, '', null].includes(unmask.sides[0]?.session ?? null)"
    page.wait_for_function(new, arg=before, timeout=60_000)
    drawn(page)
    expect(side(page)).to_have_attribute("data-source", "live")
    advanced(page, 0)


def finished(page: Page) -> None:
    for number in (0, 1):
        expect(side(page, number)).to_have_attribute("data-done", "true")


def paused(page: Page) -> None:
    """Wait until nothing moves, the pass that was being thought included."""
    expect(page.locator("unmask-stage")).to_have_attribute("data-playing", "false")
    page.wait_for_function("unmask.sides.every((side) => !side.playing)")
    drawn(page)


def stop_at(page: Page, at: int) -> None:
    """Show a moment of the recording, and stop there."""
    page.wait_for_function("(at) => unmask.sides[0].moments.length > at", arg=at)
    page.evaluate("(at) => { unmask.player.pause(); unmask.player.jump(0, at); }", at)
    expect(side(page)).to_have_attribute("data-moment", str(at))
    paused(page)


def drawn(page: Page) -> None:
    """Wait until what is known is on the page: it is drawn with the next frame."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def words(page: Page, number: int = 0) -> list[str]:
    return side(page, number).locator("[data-cell]").all_text_contents()


def pinned(locator: Locator) -> None:
    expect(locator).to_have_class(re.compile(r"\bpinned\b"))


def taken(page: Page, name: str, folder: Path) -> Path:
    """A file from *Share*, saved into a folder."""
    share(page)
    if name not in ("GIF", "Page"):  # the others are folded
        page.get_by_text("More formats").click()
    with page.expect_download() as download:
        page.locator(".share").get_by_role("button", name=name).click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file
