"""Changes of length that a decoder or its model asks for, as the edits that a run records. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unmask.canvas import Bools, Canvas, Ints
from unmask.run.command import Stretch

Resize = tuple[Ints, Bools]  # [L + 1] how many open cells come in before each cell and at the end; [L] cells that go


def stretches(canvas: Canvas, resize: Resize | None, longest: int) -> Iterator[Stretch]:
    """The edits, from the right, so that no position shifts: to at most `longest` cells, with one cell of the answer at
    least."""
    if resize is None:
        return
    insert, delete = resize
    cells, spare = int(canvas.answer.sum()), longest - len(canvas) + int(delete.sum())
    run = 0
    for at in np.flatnonzero((insert > 0) | np.append(delete, False))[::-1].tolist():
        run += bool(at < len(canvas) and delete[at])
        goes_on = not insert[at] and at > 0 and delete[at - 1]
        if run and not goes_on:
            run = min(run, cells - 1)
            if run:
                yield Stretch(at, -run, own=True)
            cells, run = cells - run, 0
        if insert[at] and (by := min(int(insert[at]), spare)) > 0:
            yield Stretch(at, by, own=True)
            cells, spare = cells + by, spare - by
