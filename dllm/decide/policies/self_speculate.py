"""Draft a block in one pass, verify it from left to right, keep what agrees: greedy autoregression in fewer passes."""

import numpy as np

from unmask.decide import Annotated, Choice, Knob, Needs, Reason, View

needs = Needs(rows="answer", verify=True, ahead="ahead")
revises = True


def self_speculate(
    view: View, ahead: Annotated[int, Knob(2, 64, "how many cells are drafted at once, within a block")] = 64
) -> Choice:
    """Linear self-speculation: every token that stays is the one that greedy autoregressive decoding gives."""
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
    why = (
        Reason(verified, "verified from left to right"),
        Reason(corrected, "read from left to right it is another word"),
        Reason(beyond, "drafted behind a word that did not hold"),
    )
    return Choice(corrected, beyond, why=why)


PRESETS = {
    "draft-and-verify": {
        "title": "Draft and verify",
        "says": "Twelve cells drafted at once, verified from left to right: the autoregressive text, in fewer passes.",
        "origin": "Linear self-speculation; the next draft in the same forward as in TiDAR, arXiv:2511.08923",
        "per_cell": True,
        "settings": {"options": {"ahead": 12}},
    },
}
