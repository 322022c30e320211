"""Details of one cell at one moment: candidates, earlier guesses, and which pass or edit wrote it and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unmask.errors import InvalidRequest
from unmask.run.frame import Frame
from unmask.run.timeline import Node


def peek(path: Sequence[Node], cell: int, piece: Callable[[int], str]) -> dict[str, Any]:
    """Candidates, entropy and margin at the end of a path, the guess and the candidates' shares at each pass, and the
    pass that wrote the cell. A share is None in a pass that did not have the candidate among its likeliest."""
    canvas = path[-1].canvas
    if not 0 <= cell < len(canvas):
        raise InvalidRequest(f"there is no cell {cell}: the canvas has {len(canvas)}, counted from 0")
    name = int(canvas.ids[cell])
    about: dict[str, Any] = {"candidates": [], "entropy": None, "margin": None, "guesses": [], "wrote": None}
    before, looks = path[0].canvas, []
    for i, moment in enumerate(path):
        # a frame refers to the canvas before it, an edit to the canvas after it
        where = np.flatnonzero((moment.canvas if moment.frame is None else before).ids == name)
        before = moment.canvas
        if not where.size:
            continue
        here = int(where[0])
        if moment.frame is not None:
            _add(about, moment.frame, here, i, piece)
            if moment.frame.guess[here] >= 0:
                looks.append(
                    (
                        i,
                        dict(
                            zip(
                                *(row[here].tolist() for row in (moment.frame.top_ids, moment.frame.top_probs)),
                                strict=True,
                            )
                        ),
                    )
                )
        elif here in getattr(moment.edit, "cells", ()):
            pinned = type(moment.edit).__name__ == "Pin"
            about["wrote"] = {"at": i, "why": "pinned by you" if pinned else "opened by you"}
    tokens = [token for token, _, _ in about["candidates"]]
    about["shares"] = [[i, *(_share(of[t]) if t in of else None for t in tokens)] for i, of in looks]
    return about


def _add(about: dict[str, Any], frame: Frame, here: int, at: int, piece: Callable[[int], str]) -> None:
    if here in frame.cells:
        about["wrote"] = {"at": at, "why": reason_text(frame, here)}
    elif here in frame.erased:
        about["wrote"] = {"at": at, "why": "taken back: " + reason_text(frame, here)}
    if frame.guess[here] >= 0:
        about["guesses"].append([at, int(frame.guess[here]), _share(frame.sure[here])])
        pairs = zip(frame.top_ids[here].tolist(), frame.top_probs[here].tolist(), strict=True)
        about["candidates"] = [[t, piece(t), _share(p)] for t, p in pairs]
        about["entropy"], about["margin"] = round(int(frame.entropy[here]) / 32, 2), _share(frame.margin[here])


def reason_text(frame: Frame, cell: int) -> str:
    """Why a cell was chosen, in words."""
    return "; ".join(
        words.replace("{}", _number(numbers[cells.index(cell)])) if numbers else words
        for words, cells, numbers in frame.why
        if cell in cells
    )


def _number(x: float) -> str:
    return f"{x:.0f}" if x == int(x) and x > 1 else f"{x:.3g}"


def _share(x: Any) -> float:
    return round(int(x) / 255, 3)
