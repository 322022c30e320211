"""Write every g-th cell of the block, then the cells halfway between (dilated unmasking, arXiv:2506.19037)."""

import numpy as np

from unmask.decide import Annotated, Choice, Knob, Reason, View

group = "order"


def dilated(view: View, base: Annotated[int, Knob(2, 8, "how much closer together each look writes")] = 2) -> Choice:
    place = np.cumsum(view.block) - 1  # the first cell of the block is 0
    size, turn = int(view.block.sum()), view.block_pass
    while True:
        turn += 1
        gap = max(1, size // base ** min(turn, 64))
        write = view.eligible & (place % gap == 0)
        # an edit may have left nothing of this grid to write; the grid of gap 1 has every cell
        if write.any() or gap == 1:
            words = f"every {gap}th cell of the block" if gap > 1 else "what is left of the block"
            return Choice(write, why=(Reason(write, words),))


PRESETS = {
    "dus": {
        "title": "Dilated (DUS)",
        "plain": "Far apart first",
        "says": "Cells far apart first, then those halfway between: five looks for a block of 32.",
        "short": "Cells far apart first, then those half way between.",
        "origin": "Luxembourg et al. 2025, arXiv:2506.19037",
        "per_cell": True,
        "settings": {"options": {"base": 2}, "block": 32},
    },
}
