"""Compares decoders on one prompt and one seed: the canvas after each pass, and the first difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unmask.canvas import BaseTokenizer, Canvas
from unmask.run.alignment import align
from unmask.run.frame import Frame
from unmask.run.state import State


@dataclass(frozen=True, eq=False)
class DecoderRun:
    """One decoder's run: its canvas after each pass."""

    label: str
    canvases: tuple[Canvas, ...]  # before the first pass, and after each
    forwards: int

    @classmethod
    def of(cls, label: str, first: State, passes: Sequence[tuple[State, Frame]]) -> DecoderRun:
        """From the first state of a run and its passes."""
        return cls(label, (first.canvas, *(s.canvas for s, _ in passes)), sum(f.cost for _, f in passes))

    @property
    def shares(self) -> list[float]:
        """The share of the answer that is written, before the first pass and after each; the page aligns runs by it."""
        cells = max(1, int(self.canvases[0].open.sum()))
        return [1 - int(canvas.open.sum()) / cells for canvas in self.canvases]

    def to_dict(self, tokenizer: BaseTokenizer) -> dict[str, Any]:
        """For JSON: what each pass wrote, as text."""
        rows, last = [], self.canvases[0]
        for canvas in self.canvases[1:]:
            changed = np.flatnonzero((canvas.tokens != last.tokens) | (canvas.open != last.open))
            rows.append([[int(c), None if canvas.open[c] else tokenizer.piece(int(canvas.tokens[c]))] for c in changed])
            last = canvas
        first = self.canvases[0]
        pieces = [
            None if hidden else tokenizer.piece(int(t)) for t, hidden in zip(first.tokens, first.open, strict=True)
        ]
        return {
            "label": self.label,
            "first": pieces,
            "passes": rows,
            "shares": [round(share, 4) for share in self.shares],
            "forwards": self.forwards,
        }


def describe_differences(runs: Sequence[DecoderRun], tokenizer: BaseTokenizer) -> list[str]:
    """A sentence for each run but the first: how many of its words differ, and where they first differ."""
    first, lines = runs[0], []
    for run in runs[1:]:
        own, reference = run.canvases[-1], first.canvases[-1]
        texts = reference.tokens.tolist(), own.tokens.tolist()
        differ = max(align(*texts).count(-1), align(*texts[::-1]).count(-1))
        cells = int(reference.answer.sum())
        if not differ:
            lines.append(f"{run.label} ends with the same text as {first.label}.")
            continue
        cell, when = first_difference(first, run)
        word, other = (tokenizer.piece(int(c.tokens[cell])).strip() or "a space" for c in (own, reference))
        lines.append(
            f"{run.label} and {first.label} differ in {differ} of {cells} cells. They part at pass {when}, "
            f"in cell {cell + 1}: “{word}” here, “{other}” there."
        )
    return lines


def first_difference(a: DecoderRun, b: DecoderRun) -> tuple[int, int]:
    """The first cell in which two runs end with different words, and the pass after which both words are written."""
    differ = np.flatnonzero(a.canvases[-1].tokens != b.canvases[-1].tokens)
    when = {int(cell): max(_since(a, int(cell)), _since(b, int(cell))) for cell in differ}
    cell = min(when, key=lambda c: (when[c], c))
    return cell, when[cell]


def _since(run: DecoderRun, cell: int) -> int:
    """The pass that wrote the final word of a cell."""
    last = int(run.canvases[-1].tokens[cell])
    at = len(run.canvases) - 1
    while at > 0 and not run.canvases[at - 1].open[cell] and int(run.canvases[at - 1].tokens[cell]) == last:
        at -= 1
    return at
