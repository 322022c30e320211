"""Statistics of a run: passes, tokens and times. Every number is counted or measured, none is estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from unmask.canvas import Bools, Canvas, Card
from unmask.models import Denoiser
from unmask.run.frame import Frame


@dataclass(frozen=True)
class RunStats:
    """Statistics of a run. Times are seconds of device time unless the name says ms."""

    passes: int
    forwards: int  # guidance uses two per pass
    tokens: int  # answer tokens the model wrote, up to the end of the text
    pinned: int  # answer tokens a person fixed
    tokens_per_pass: float
    thinking_ms: float  # per pass, on the device
    other_ms: float  # per pass, everything else
    first_text: float | None  # device time until the first answer cell had its final token
    finished: float  # device time of the whole run
    tokens_per_second: float  # over the whole run
    tokens_per_second_after_first: float | None
    rewritten: int  # written tokens that were replaced
    erased: int  # written cells that were erased
    shared: bool  # other runs used the device meanwhile, so the times are too long

    def to_dict(self) -> dict[str, Any]:
        return {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(self).items()}


def text_cells(canvas: Canvas, card: Card) -> Bools:
    """Answer cells that hold text: closed, before the first EOS token, and without delete tokens."""
    decided = canvas.answer & ~canvas.open
    ended = np.flatnonzero(decided & np.isin(canvas.tokens, card.ends))
    if ended.size:
        decided[ended[0] :] = False
    return decided & ~np.isin(canvas.tokens, card.skips)


def decided_prefix(canvas: Canvas) -> int:
    """How many cells from the front are closed."""
    return int(np.argmax(canvas.open)) if canvas.open.any() else len(canvas)


def run_stats(
    canvas: Canvas,
    frames: Sequence[Frame],
    clocks: Sequence[tuple[float, float]],
    card: Card,
    shared: bool = False,
) -> RunStats:
    """The statistics of a run that ended in `canvas`; `clocks` are seconds per pass, on the device and elsewhere."""
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
    """When the first answer cell got its final token, and how many tokens of the final text were written by then."""
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
    """The text of the answer, up to the first EOS token."""
    return denoiser.tokenizer.decode(canvas.tokens[text_cells(canvas, denoiser.card)].tolist())


def repetition(text: str) -> float:
    """The share of three-word sequences in a text that repeat an earlier one."""
    words = text.split()
    runs = list(zip(words, words[1:], words[2:], strict=False))
    return 1 - len(set(runs)) / len(runs) if runs else 0.0
