"""A few decoders on one prompt and one seed, pass by pass, and where they part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unmask.canvas import BaseTokenizer, Canvas
from unmask.run.frame import Frame
from unmask.run.state import State


@dataclass(frozen=True, eq=False)
class DecoderRun:
    """One decoder's run, as its passes left the canvas."""

    label: str
    canvases: tuple[Canvas, ...]  # before the first pass, and after each
    forwards: int

    @classmethod
    def of(cls, label: str, first: State, passes: Sequence[tuple[State, Frame]]) -> DecoderRun:
        """From a run."""
        return cls(label, (first.canvas, *(s.canvas for s, _ in passes)), sum(f.cost for _, f in passes))

    @property
    def shares(self) -> list[float]:
        """How much of the answer stands, before the first pass and after each: what lanes are aligned by."""
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
    """In sentences, how alike the lanes end and where each first leaves the first one."""
    first, lines = runs[0], []
    for lane in runs[1:]:
        here, there = lane.canvases[-1], first.canvases[-1]
        differ = np.flatnonzero(here.tokens != there.tokens)
        cells = int(there.answer.sum())
        if not len(differ):
            lines.append(f"{lane.label} ends with the same text as {first.label}.")
            continue
        cell, when = first_difference(first, lane)
        mine, theirs = (tokenizer.piece(int(c.tokens[cell])).strip() or "a space" for c in (here, there))
        lines.append(
            f"{lane.label} and {first.label} differ in {len(differ)} of {cells} cells. They part at pass {when}, "
            f"in cell {cell + 1}: “{mine}” here, “{theirs}” there."
        )
    return lines


def first_difference(a: DecoderRun, b: DecoderRun) -> tuple[int, int]:
    """The cell in which two lanes first hold different words, by the pass at which the later of both was written."""
    differ = np.flatnonzero(a.canvases[-1].tokens != b.canvases[-1].tokens)
    when = {int(cell): max(_since(a, int(cell)), _since(b, int(cell))) for cell in differ}
    cell = min(when, key=lambda c: (when[c], c))
    return cell, when[cell]


def _since(lane: DecoderRun, cell: int) -> int:
    """The pass since which a cell holds what it holds at the end."""
    last = int(lane.canvases[-1].tokens[cell])
    at = len(lane.canvases) - 1
    while at > 0 and not lane.canvases[at - 1].open[cell] and int(lane.canvases[at - 1].tokens[cell]) == last:
        at -= 1
    return at
