"""Write cells whose entropy is below `bound`, the nearest ones sooner, within a window (WeDLM, Liu et al. 2025)."""

import numpy as np

from unmask.decide import Annotated, Choice, Knob, Reason, View

group = "sure"


def near_entropy(
    view: View,
    bound: Annotated[float, Knob(0.0, 5.0, "write a word while its entropy, in nats, is below this")] = 0.4,
    penalty: Annotated[float, Knob(0.0, 1.0, "for each cell of distance, add to its entropy this")] = 0.02,
    window: Annotated[int, Knob(1, 256, "cells that are looked at, from the first open one on")] = 16,
) -> Choice:
    distance = np.arange(len(view.eligible)) - int(view.eligible.argmax())
    inside = view.eligible & (distance < window)
    entropy = np.where(inside, view.belief.entropy + penalty * distance, np.inf)
    sure = entropy < bound
    if sure.any():
        return Choice(sure, why=(Reason(sure, f"entropy with distance {{}} is below {bound:g}", entropy),))
    least = inside & (np.arange(len(entropy)) == int(entropy.argmin()))
    return Choice(least, why=(Reason(least, f"entropy with distance {{}}: none is below {bound:g}", entropy),))


PRESETS = {
    "wedlm": {
        "title": "WeDLM",
        "plain": "Near and calm",
        "says": "Within 16 cells, every cell whose entropy and distance together are below 0.4.",
        "short": "Within 16 cells, every word it hardly wavers about; near ones sooner.",
        "origin": "Liu et al. 2025, Tencent",
        "per_cell": True,
        "settings": {"options": {"bound": 0.4, "penalty": 0.02, "window": 16}, "temperature": 0.2},
    },
}
