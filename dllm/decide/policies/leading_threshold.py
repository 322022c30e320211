"""Write the first cell of each whole block alone, then cells surer than `tau` (Fast-dLLM v2, arXiv:2509.26328)."""

import numpy as np

from unmask.decide import Annotated, Choice, Knob, Reason, View, best

group = "blocks"


def leading_threshold(
    view: View,
    tau: Annotated[float, Knob(0.1, 1.0, "write a word once its probability is above this")] = 0.9,
    size: Annotated[int, Knob(1, 256, "cells in a whole block, counted from the start of the sequence")] = 32,
) -> Choice:
    cells = np.arange(len(view.eligible))
    first = int(view.eligible.argmax())
    if view.eligible.any() and first and first % size == 0:
        # its prediction depends on decided text only, so nothing else of the block is written in this pass
        leads = cells == first
        why = (Reason(leads, "confidence {}: a block begins with its likeliest first token", view.belief.confidence),)
        return Choice(leads, why=why, settle=True)
    sure = view.eligible & (view.belief.confidence > tau)
    surest = best(view, view.belief.confidence, quota=1) & ~sure
    sentences = (
        Reason(sure, f"confidence {{}} is above {tau:g}", view.belief.confidence),
        Reason(surest, f"confidence {{}}: none reached {tau:g}, this is the surest", view.belief.confidence),
    )
    return Choice(sure | surest, why=sentences)


PRESETS = {
    "fast-dllm-v2": {
        "title": "Fast-dLLM v2",
        "plain": "Eight at a time",
        "says": "Blocks of 32, eight cells at a time: every cell surer than 0.9, and a block's first cell alone.",
        "short": "Blocks of 32, eight cells at a time: the first word alone, then all that are sure.",
        "origin": "Wu et al. 2025, arXiv:2509.26328",
        "per_cell": True,
        "settings": {
            "options": {"tau": 0.9, "size": 32},
            "block": 8,
            "block_from": "sequence",
            "sight": "block",
            "precision": "model",
        },
    },
}
