"""Draws the README's picture: four passes of a recorded trace as one SVG, for light and dark backgrounds."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from html import escape
from pathlib import Path

from unmask.canvas import Canvas
from unmask.run.timeline import Node, Timeline
from unmask.run.trace import load

WIDE, LETTER, LINE, MARGIN, GAP = 760, 7.8, 24, 24, 22
STYLE = """
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2433; }
  .label { font: 600 12px system-ui, sans-serif; fill: #5b6478; }
  .given { fill: #5b6478; } .ghost { fill: #5b6478; opacity: .55; }
  .open { fill: #8b93a7; fill-opacity: .16; }
  .old { fill: #2f7d6b; fill-opacity: .13; } .new { fill: #d9822b; fill-opacity: .3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e8eaf2; } .label, .given, .ghost { fill: #9aa3b8; } .open { fill-opacity: .24; }
    .old { fill: #4fb79f; fill-opacity: .2; } .new { fill: #f0a35a; fill-opacity: .36; }
  }
"""


def panels(path: list[Node], count: int = 4) -> list[int]:
    """The moments to show: evenly spaced by the share of written cells, the end included."""
    passes = [i for i, m in enumerate(path) if m.frame is not None]
    total = max(int(path[0].canvas.open.sum()), 1)
    done = {i: 1 - int(path[i].canvas.open.sum()) / total for i in passes}
    wanted = [(k + 0.4) / count for k in range(count - 1)] + [1.0]
    return sorted({min(passes, key=lambda i, w=w: abs(done[i] - w)) for w in wanted})


def cells(run: Timeline, moment: Node) -> Iterator[tuple[str, str, str]]:
    """Each cell's text, with the CSS classes of text and background, up to the end of text."""
    canvas: Canvas = moment.canvas
    frame = moment.frame
    fresh = set(frame.cells.tolist()) if frame is not None else set()
    ends = set(run.about.get("ends", []))
    for i in range(len(canvas)):
        token = int(canvas.tokens[i])
        if canvas.answer[i] and not canvas.open[i] and token in ends:
            return
        if canvas.given[i]:
            yield run.pieces.get(token, ""), "given", ""
        elif canvas.open[i]:
            guess = int(frame.guess[i]) if frame is not None else -1
            known = guess >= 0 and guess not in ends
            yield run.pieces.get(guess, " ") if known else "   ", "ghost", "open"
        else:
            yield run.pieces.get(token, ""), "", "new" if i in fresh else "old"


def drawn(run: Timeline) -> str:
    """The SVG."""
    parts, y, path = [], MARGIN, run.head.path()
    for at in panels(path):
        moment = path[at]
        assert moment.frame is not None
        parts.append(f'<text class="label" x="{MARGIN}" y="{y + 6}">pass {moment.frame.step + 1}</text>')
        x, y = float(MARGIN), y + LINE
        for piece, style_class, background in cells(run, moment):
            shown = piece.replace("\n", "⏎")
            width = len(shown) * LETTER
            if x + width > WIDE - MARGIN:
                x, y = float(MARGIN), y + LINE
            if background:
                parts.append(
                    f'<rect class="{background}" x="{x:.1f}" y="{y - 12}" width="{width - 1:.1f}" height="19" rx="4"/>'
                )
            if shown.strip():
                kind = f' class="{style_class}"' if style_class else ""
                parts.append(f'<text{kind} x="{x:.1f}" y="{y + 2}" xml:space="preserve">{escape(shown)}</text>')
            x += width
            if "\n" in piece:
                x, y = float(MARGIN), y + LINE
        y += LINE + GAP
    frame = f'viewBox="0 0 {WIDE} {y - GAP}" width="{WIDE}" height="{y - GAP}" role="img"'
    title = "<title>A canvas denoising: words appear everywhere at once</title>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {frame}>{title}<style>{STYLE}</style>{"".join(parts)}</svg>\n'


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("--out", default="assets/picture.svg")
    options = parser.parse_args()
    Path(options.out).write_text(drawn(load(options.trace).first), encoding="utf-8")
