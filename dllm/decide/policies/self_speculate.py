"""Draft a block in one pass, verify it from left to right, keep what agrees: greedy autoregression in fewer passes."""

from collections.abc import Sequence

import numpy as np

from unmask.canvas import Bools, Canvas
from unmask.decide import Annotated, Choice, Knob, Needs, Reason, View

group = "order"
needs = Needs(rows="answer", verify=True, ahead="ahead")
revises = True


def self_speculate(
    view: View,
    ahead: Annotated[int, Knob(2, 64, "cells that are drafted at once, within a block")] = 64,
    reread: Annotated[
        int, Knob(0, 64, "correct and verify the draft again where the words that hold are fewer than this")
    ] = 0,
) -> Choice:
    """Linear self-speculation: every token that stays is the one that greedy autoregressive decoding gives.

    With `reread` a bad draft is corrected at all its cells instead of being drafted again (Jacobi decoding): each pass
    settles a word, so that a run takes about as many passes as cells, however bad its drafts are."""
    canvas = view.canvas
    if view.verified is None:
        draft = view.eligible & view.belief.known  # the first `ahead`, and cells of earlier blocks that a person opened
        return Choice(draft, why=(Reason(draft, "a draft, to be verified"),), stay=True, verify=draft)
    cells = np.flatnonzero(view.verified & view.written)  # some may have been pinned in between
    agree = canvas.tokens[cells] == view.belief.token[cells]
    leading = int(len(cells) if agree.all() else np.argmin(agree))
    verified, corrected, beyond = (
        canvas.mask(part.tolist()) for part in (cells[:leading], cells[leading : leading + 1], cells[leading + 1 :])
    )
    right = Reason(verified, "verified from left to right")
    ended = np.isin(view.belief.token, view.belief.ends) & corrected
    if leading < reread and beyond.any() and not ended.any():
        wrong = canvas.mask(cells[~agree].tolist())
        again = Reason(wrong, "read from left to right it is another word, and what follows is read again")
        return Choice(wrong, why=(right, again), stay=True, verify=beyond)
    why = (
        right,
        Reason(corrected, "read from left to right it is another word"),
        Reason(beyond, "drafted behind a word that did not hold"),
    )
    return Choice(corrected, beyond, why=why)


def settled(canvas: Canvas, pending: Bools, memory: object, skips: Sequence[int]) -> Bools:
    """The cells before the first that is open or a draft."""
    unsure = canvas.open | pending
    mask: Bools = np.arange(len(canvas)) < (int(np.argmax(unsure)) if unsure.any() else len(canvas))
    return mask


PRESETS = {
    "draft-and-verify": {
        "title": "Draft and verify",
        "plain": "Draft and verify",
        "says": "Twelve cells drafted at once, verified from left to right: the autoregressive text, in fewer looks.",
        "short": "Drafts twelve words at once and keeps those that reading from the left confirms.",
        "origin": "Linear self-speculation; the next draft in the same forward as in TiDAR, arXiv:2511.08923",
        "per_cell": True,
        "settings": {"options": {"ahead": 12, "reread": 1}},
    },
}
