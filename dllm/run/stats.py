"""What a run cost and what it gave: passes, tokens, times. Every number is counted or measured, none is assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from unmask.canvas import Bools, Canvas, Card
from unmask.models import Denoiser
from unmask.run.frame import Frame


@dataclass(frozen=True)
class Share:
    """The mean of some values, and the interval that holds 95 in 100 of the means of redrawn ones."""

    mean: float
    low: float
    high: float
    count: int

    def __str__(self) -> str:
        return f"{100 * self.mean:5.1f} % [{100 * self.low:.0f}–{100 * self.high:.0f}]"


def share(values: Sequence[float], draws: int = 2000) -> Share:
    """Bootstrap over values; the same values always give the same interval."""
    if not len(values):
        return Share(float("nan"), float("nan"), float("nan"), 0)
    row = np.asarray(values, float)
    means = row[np.random.default_rng(0).integers(0, len(row), (draws, len(row)))].mean(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return Share(float(row.mean()), float(low), float(high), len(row))


@dataclass(frozen=True)
class RunStats:
    """A run in numbers. Times are seconds of device time unless they say otherwise."""

    passes: int
    forwards: int  # guidance spends two a pass
    tokens: int  # answer tokens the model wrote, up to the end of the text
    pinned: int  # answer tokens a person fixed
    tokens_per_pass: float
    thinking_ms: float  # a pass, on the device
    other_ms: float  # a pass, everything else
    first_text: float | None  # device time until the first cell from the left was there for good
    finished: float
    tokens_per_second: float  # over the whole
    tokens_per_second_after_first: float | None
    rewritten: int  # changes of mind
    erased: int  # cells taken back
    shared: bool  # others had the device too

    def to_dict(self) -> dict[str, Any]:
        return {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(self).items()}


def text_cells(canvas: Canvas, card: Card) -> Bools:
    """Answer cells that hold text: decided, before the first end of text, and none that says it is one too many."""
    decided = canvas.answer & ~canvas.open
    ended = np.flatnonzero(decided & np.isin(canvas.tokens, card.ends))
    if ended.size:
        decided[ended[0] :] = False
    return decided & ~np.isin(canvas.tokens, card.skips)


def decided_prefix(canvas: Canvas) -> int:
    """How many cells from the front are decided."""
    return int(np.argmax(canvas.open)) if canvas.open.any() else len(canvas)


def run_stats(
    canvas: Canvas,
    frames: Sequence[Frame],
    clocks: Sequence[tuple[float, float]],
    card: Card,
    shared: bool = False,
) -> RunStats:
    """The measures of a run that ended in `canvas`; `clocks` are seconds a pass, thinking and other."""
    text = text_cells(canvas, card)
    tokens, pinned = int((text & ~canvas.pinned).sum()), int((text & canvas.pinned).sum())
    thinking, other = sum(c[0] for c in clocks), sum(c[1] for c in clocks)
    first = _first_text(canvas, frames, clocks, text)
    later = thinking - first[0] if first else 0.0
    n = len(frames)
    return RunStats(
        passes=n,
        forwards=sum(f.cost for f in frames),
        tokens=tokens,
        pinned=pinned,
        tokens_per_pass=tokens / n if n else 0.0,
        thinking_ms=1000 * thinking / n if n else 0.0,
        other_ms=1000 * other / n if n else 0.0,
        first_text=first[0] if first else None,
        finished=thinking,
        tokens_per_second=tokens / thinking if thinking > 0 else 0.0,
        tokens_per_second_after_first=(tokens - first[1]) / later if first and later > 0 else None,
        rewritten=sum(int((f.was >= 0).sum()) for f in frames),
        erased=sum(len(f.erased) for f in frames),
        shared=shared,
    )


def _first_text(
    canvas: Canvas, frames: Sequence[Frame], clocks: Sequence[tuple[float, float]], text: Bools
) -> tuple[float, int] | None:
    """When the first answer cell was last written, and how many tokens of the text stood there by then."""
    front = np.flatnonzero(canvas.answer)
    if not front.size:
        return None
    wrote = [i for i, f in enumerate(frames) if front[0] in f.cells]
    if not wrote:
        return None
    upto = wrote[-1] + 1
    later = {c for f in frames[upto:] for c in f.cells.tolist()}
    stood = {c for f in frames[:upto] for c in f.cells.tolist()} - later
    return sum(c[0] for c in clocks[:upto]), int(text[sorted(stood)].sum())


def answer_text(denoiser: Denoiser, canvas: Canvas) -> str:
    """The text of the answer, up to its end."""
    return denoiser.tokenizer.decode(canvas.tokens[text_cells(canvas, denoiser.card)].tolist())


def repetition(text: str) -> float:
    """The share of three-word sequences that this text has said before."""
    words = text.split()
    runs = list(zip(words, words[1:], words[2:], strict=False))
    return 1 - len(set(runs)) / len(runs) if runs else 0.0
