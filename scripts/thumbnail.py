"""Draws a Space's thumbnail from the README's picture: `python scripts/thumbnail.py FILE`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

PICTURE = Path(__file__).parents[1] / "assets" / "picture.svg"
WIDE, HIGH = 1200, 630
LARGEST = 100 << 10  # bytes
SECOND = """() => {  // the pass in the middle, with written words and guesses
  const svg = document.querySelector("svg"), y = Number(svg.querySelectorAll(".label")[1].getAttribute("y"));
  svg.setAttribute("viewBox", `0 ${y - 20} 760 222`);
}"""
CARD = """<!doctype html><meta charset="utf-8"><style>
  body { margin: 0; width: 1200px; height: 630px; overflow: hidden; background: #f7f5ef; color: #1f2433; }
  h1 { margin: 64px 0 4px 60px; font: 600 60px Georgia, "DejaVu Serif", serif; }
  h1 i { padding: 0 .09em; font-style: normal; background: #e6eaef; box-shadow: inset 0 -6px #0b5394; }
  p { margin: 0 0 26px 62px; font: italic 27px Georgia, "DejaVu Serif", serif; color: #5b6478; }
  svg { display: block; margin-left: 36px; width: 1120px; height: 327px; }
</style><h1>Un<i>mask</i></h1><p>Watch a language model write everywhere at once, and take part.</p>"""


def draw(file: Path) -> None:
    """Draw it with Chromium; raises if there is none."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        path = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDE, "height": HIGH}, color_scheme="light")
        page.set_content(CARD + PICTURE.read_text(encoding="utf-8"))
        page.evaluate(SECOND)
        page.screenshot(path=file)
        browser.close()
    assert file.stat().st_size <= LARGEST, f"{file} has {file.stat().st_size} bytes"


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    draw(Path(sys.argv[1]))
