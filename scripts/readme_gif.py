"""Makes the README's GIF from the page itself: the recorded run on its clock, one word changed, and what followed.

`make gif`, or `python -m scripts.readme_gif --out FILE`. Each picture shows one time of the clock for both sides."""

from __future__ import annotations

import argparse
import io
import os
import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from unmask.paths import ASSETS
from unmask.ui.app import serve

FILE = ASSETS / "unmask.gif"
WIDTH, HEIGHT, SCALE = 1100, 640, 760 / 1100
COLOURS = 96
LARGEST = 2 << 20  # bytes
SETTLES = 150  # ms in which words condense
RUN, REST = 22, 12  # pictures of the run, and of what followed the change
EACH, READ, END = 140, 900, 2000  # ms of a picture, of one that is read, of the last
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Film:
    """Pictures of a page, each with its time."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pictures: list[Image.Image] = []
        self.times: list[int] = []

    def take(self, ms: int) -> None:
        self.page.evaluate(DRAWN)
        self.page.wait_for_timeout(SETTLES)
        picture = Image.open(io.BytesIO(self.page.screenshot(animations="disabled"))).convert("RGB")
        self.pictures.append(picture.resize((round(WIDTH * SCALE), round(HEIGHT * SCALE)), Image.Resampling.LANCZOS))
        self.times.append(ms)

    def play(self, start: float, many: int) -> None:
        """The head from one place of the clock to the end."""
        end = self.page.evaluate("(stage) => Math.max(...stage.sides.map((s) => s.moments.at(-1).clock))", self.stage)
        for i in range(many + 1):
            at = start + (end - start) * i / many
            self.page.evaluate(
                "([stage, at]) => stage.move({ axis: 'clock', at, playing: false, following: false })", [self.stage, at]
            )
            self.take(EACH)

    @property
    def stage(self) -> object:
        return self.page.evaluate_handle("document.querySelector('unmask-stage').controller")

    def save(self, file: Path) -> None:
        """Write them with one palette, that of the last picture; what did not change is not stored again."""
        palette = self.pictures[-1].quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        rows = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in self.pictures]
        rows[0].save(file, save_all=True, append_images=rows[1:], duration=self.times, loop=0, optimize=True)
        assert file.stat().st_size <= LARGEST, f"{file} has {file.stat().st_size} bytes"


def change_a_word(page: Page, film: Film) -> None:
    """Press a word, show what else might stand there, choose the next likeliest, and wait for what follows."""
    cells = page.locator('.side[data-side="0"] .cell.written > [data-cell]')
    place = cells.all_text_contents()
    word = next((i for i, text in enumerate(place) if text.strip() == "pink"), len(place) // 2)
    cells.nth(word).click()
    choice = page.locator(".slip .words button:not([aria-current])").first
    expect(choice).to_be_visible()
    film.take(READ)
    choice.click()
    page.mouse.move(4, 4)  # nothing is pointed at
    expect(page.locator("unmask-stage")).to_have_attribute("data-run", "over", timeout=60_000)
    expect(page.locator(".say")).to_contain_text("You changed one word")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FILE)
    out: Path = parser.parse_args().out
    blocks = serve(None, prevent_thread_lock=True, quiet=True)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce")
        page.goto(f"{blocks.local_url}?theme=light")
        expect(page.locator("unmask-stage")).to_have_attribute("data-ready", "yes", timeout=60_000)
        film = Film(page)
        film.play(0, RUN)
        film.times[-1] = READ
        change_a_word(page, film)
        start = page.evaluate("(stage) => stage.sides[0].moments.find((m) => m.kind === 'edit').clock", film.stage)
        film.play(start, REST)
        film.times[-1] = END
        film.save(out)
        browser.close()
    blocks.close(verbose=False)
    print(f"{out}: {out.stat().st_size >> 10} KB, {len(film.pictures)} pictures")


if __name__ == "__main__":
    main()
