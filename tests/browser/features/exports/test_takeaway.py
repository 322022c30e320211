"""What is taken away from the stage: a GIF, pictures, a table and both traces, each read and compared with the run."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image, ImageSequence
from playwright.sync_api import Page, expect

from tests.browser.steps import SHORT, finished, run, share, taken, words
from tests.browser.visit import Visitor
from tests.long import grown
from unmask.run import trace
from unmask.ui.film import film

SVG = "{http://www.w3.org/2000/svg}"


def channels(page: Page, name: str) -> tuple[int, ...]:
    return tuple(page.evaluate(
        """(name) => [1, 3, 5].map((i) => parseInt(getComputedStyle(document.documentElement)
            .getPropertyValue(`--${name}`).trim().slice(i, i + 2), 16))""",
        name,
    ))  # fmt: skip


@pytest.mark.parametrize("python", grown(False, True))
def test_a_film_shows_both_sides_as_the_page_does_at_that_time(visitor: Visitor, tmp_path: Path, python: bool) -> None:
    """At no time is a side further, or less far, than on the page; and `unmask film` makes the same file."""
    page = visitor.open(reduced_motion="reduce")
    expect(page.locator("unmask-stage")).to_have_attribute("data-ready", "yes")
    pairs = page.evaluate("""async () => {
      const at = (path) => import(new URL(`unmask/assets/pictures/${path}`, document.baseURI));
      const [{ shownAt, timesOf }, { stageOf }] = [await at("film.js"), await at("scene.js")];
      const stage = stageOf(unmask);
      return timesOf(stage).map((time) => {
        unmask.player.seek(time);
        return [shownAt(stage, time).map(({ at }) => at), unmask.sides.map((_, side) => unmask.player.at(side))];
      });
    }""")
    assert len(pairs) > 50 and all(film == shown for film, shown in pairs)
    assert len({tuple(shown) for _, shown in pairs}) > 50
    page.evaluate("unmask.player.seek(Infinity)")
    own = taken(page, "GIF", tmp_path).read_bytes()
    if python:
        recording = taken(page, "Recording of both sides", tmp_path)
        film([recording], tmp_path / "python.gif", browser=os.environ.get("CHROMIUM", ""))
        assert (tmp_path / "python.gif").read_bytes() == own
    assert len(own) <= 2 << 20


def test_every_file_holds_the_run(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.open(reduced_motion="reduce")
    run(page, length=SHORT)
    finished(page)
    page.evaluate("unmask.player.seek(Infinity)")
    moments: list[int] = page.evaluate("unmask.sides.map((side) => side.moments.length)")

    gif = Image.open(taken(page, "GIF", tmp_path))
    assert gif.size == (960, 540)
    frames = [(frame.convert("RGB"), frame.info["duration"]) for frame in ImageSequence.Iterator(gif)]
    assert frames[-1][1] == 2000  # the end is read
    card = channels(page, "card")
    assert all(picture.getpixel((2, 2)) == card for picture, _ in frames)
    # the diffusion side's guesses, in its colour, give way to words
    hue = channels(page, "side-0")
    guessed = [int((abs(np.asarray(p.crop((0, 120, 480, 440)), int) - hue) < 60).all(-1).sum()) for p, _ in frames]
    assert max(guessed) > 200 and guessed[-1] == 0

    drawn = ElementTree.parse(taken(page, "Picture (SVG)", tmp_path)).getroot()
    texts = list(drawn.iter(f"{SVG}text"))
    for number in (0, 1):
        row = [(text.text or "").strip() for text in texts if text.get("data-side") == str(number)]
        assert row == [word.strip() for word in words(page, number)]
    whole = "".join(text.text or "" for text in texts if text.get("data-side") is None)
    assert page.locator("#prompt textarea").input_value() in whole  # its prompt, and the page's sentence
    assert page.locator(".say > .first").inner_text() in whole and "Unmask" in whole
    png = Image.open(taken(page, "Picture (PNG)", tmp_path))
    assert png.size == (1920, 1080) and len(png.convert("RGB").resize((64, 36)).getcolors(64 * 36) or ()) > 20

    squares = ElementTree.parse(taken(page, "Map (SVG)", tmp_path)).getroot()
    last = [r for r in squares.iter(f"{SVG}rect") if (r.get("data-at") or "").startswith(f"{moments[0] - 1},")]
    given = page.evaluate("unmask.sides[0].moments[0].kinds.filter((kind) => kind === 0).length")
    cells = page.evaluate("unmask.sides[0].moments[0].kinds.length")
    assert len(last) >= cells - given

    table = taken(page, "Table (CSV)", tmp_path).read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    assert len(rows) == cells * sum(moments)
    end = [row for row in rows if row["side"] == "Diffusion" and int(row["moment"]) == moments[0] - 1]
    assert [int(row["token"]) for row in end] == page.evaluate("[...unmask.sides[0].moments.at(-1).tokens]")

    both = taken(page, "Recording of both sides", tmp_path)
    read = trace.parse_trace(both.read_text("utf-8"))
    assert len(read.runs) == 2 and [run.head.at + 1 for run in read.runs] == moments
    page.locator("input[type=file]").set_input_files(both)
    expect(page.locator(".say .status")).to_contain_text("This is a recording")
    expect(page.locator(".banner")).to_be_empty()  # it is whole, and made here
    page.evaluate("unmask.player.seek(Infinity)")
    assert [len(words(page, number)) for number in (0, 1)] == [cells, cells]


def test_a_gif_can_be_stopped(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    run(page, length=SHORT)
    finished(page)
    share(page)
    page.evaluate("""() => {
      const working = document.querySelector(".share-working");
      new MutationObserver(() => working.hidden || working.querySelector("button").click())
        .observe(working, { attributes: true });
    }""")
    page.get_by_role("button", name="GIF").click()
    expect(page.locator(".say .status")).to_contain_text("Stopped: nothing is saved.")
