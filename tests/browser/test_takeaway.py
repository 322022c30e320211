"""What is taken away from the stage: a GIF, pictures, a table and both traces, each read and compared with the run."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.steps import SHORT, finished, menu, run, words
from tests.browser.visit import Visitor
from unmask.run import trace

SVG = "{http://www.w3.org/2000/svg}"


def taken(page: Page, name: str, folder: Path) -> Path:
    menu(page)
    page.get_by_text("Share or save").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


def test_every_file_holds_the_run(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.open(reduced_motion="reduce")
    run(page, length=SHORT)
    finished(page)
    page.evaluate("unmask.seek(Infinity)")
    moments: list[int] = page.evaluate("unmask.sides.map((side) => side.moments.length)")

    gif = Image.open(taken(page, "GIF", tmp_path))
    assert (gif.size, gif.n_frames) == ((960, 540), max(moments))  # type: ignore[attr-defined]
    paper = gif.convert("RGB").getpixel((2, 2))
    soft = page.evaluate("[1, 3, 5].map((i) => parseInt(getComputedStyle(document.documentElement)"
                         ".getPropertyValue('--soft').trim().slice(i, i + 2), 16))")  # fmt: skip
    shares = []
    for frame in (0, gif.n_frames // 2, gif.n_frames - 1):  # type: ignore[attr-defined]
        gif.seek(frame)
        picture = gif.convert("RGB")
        assert picture.getpixel((2, 2)) == paper
        pixels = np.asarray(picture.crop((0, 45, 480, 540)), int)
        shares.append(int((abs(pixels - soft) < 6).all(-1).sum()))
    assert shares[0] > shares[1] > shares[2]  # fewer cells are open, as in the run
    assert shares[2] < shares[0] / 20

    drawn = ElementTree.parse(taken(page, "Picture (SVG)", tmp_path)).getroot()
    for number in (0, 1):
        group = next(g for g in drawn.iter(f"{SVG}g") if g.get("data-side") == str(number))
        texts = [(text.text or "").strip() for text in group.iter(f"{SVG}text")]
        assert texts == [word.strip() for word in words(page, number)]
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
    page.evaluate("unmask.seek(Infinity)")
    assert [len(words(page, number)) for number in (0, 1)] == [cells, cells]


def test_a_gif_can_be_stopped(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    run(page, length=SHORT)
    finished(page)
    menu(page)
    page.get_by_text("Share or save").click()
    page.evaluate("""() => {
      const working = document.querySelector(".share-working");
      new MutationObserver(() => working.hidden || working.querySelector("button").click())
        .observe(working, { attributes: true });
    }""")
    page.get_by_role("button", name="GIF").click()
    expect(page.locator(".say .status")).to_contain_text("Stopped: nothing is saved.")
