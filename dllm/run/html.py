"""A run as HTML, for notebooks: its text, each word coloured by the look that wrote it. All text is escaped."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from unmask.canvas import Card
from unmask.run.frame import Frame
from unmask.run.stats import text_cells
from unmask.run.timeline import Node

STYLE = "font: 1.1em/1.9 serif; max-width: 44em; white-space: pre-wrap"


def run_html(end: Node, card: Card, piece: Callable[[int], str]) -> str:
    """The text that a run has written so far; words of later looks are darker, and a pointer shows look and belief."""
    looks = [node.frame for node in end.path() if node.frame is not None]
    by_cell = _last_looks(looks)
    cells = text_cells(end.canvas, card)
    words = []
    for cell, token in enumerate(end.canvas.tokens.tolist()):
        if end.canvas.answer[cell] and not cells[cell]:
            continue
        word = escape(piece(token)) if token >= 0 else ""
        if cell in by_cell:
            look, sure = by_cell[cell]
            shade = 0.08 + 0.5 * look / max(1, len(looks))
            hint = f"look {look} of {len(looks)}" + (f", {sure:.0%}" if sure == sure else "")  # NaN: unknown
            word = f'<span title="{hint}" style="background: rgb(40 120 200 / {shade:.2f})">{word}</span>'
        words.append(word)
    count = int((cells & end.canvas.answer).sum())
    line = f"{count} words in {len(looks)} look{'s' * (len(looks) != 1)}; the darker, the later"
    return f'<div style="{STYLE}">{"".join(words)}</div><small>{line}</small>'


def _last_looks(looks: list[Frame]) -> dict[int, tuple[int, float]]:
    """For each cell the last look that wrote it, counted from 1, and the probability of its word then."""
    return {
        int(cell): (number, float(sure))
        for number, frame in enumerate(looks, 1)
        for cell, sure in zip(frame.cells.tolist(), frame.confidence.tolist(), strict=True)
    }
