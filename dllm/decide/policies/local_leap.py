"""Write cells surer than `tau`, and near such an anchor also less sure ones (LocalLeap, arXiv:2510.07081)."""

import numpy as np

from unmask.decide import Annotated, Choice, Knob, Reason, View, best

group = "sure"


def local_leap(
    view: View,
    tau: Annotated[float, Knob(0.5, 1.0, "write a word, as an anchor, once its probability is above this")] = 0.9,
    near: Annotated[float, Knob(0.0, 1.0, "near an anchor, write a word once its probability is above this")] = 0.75,
    radius: Annotated[int, Knob(0, 32, "cells that are near an anchor are at most so far away")] = 4,
) -> Choice:
    confidence = view.belief.confidence
    anchors = view.eligible & (confidence >= tau)
    # how many anchors lie within the radius of each cell, as a difference of running sums
    count = np.cumsum(np.pad(anchors, (radius + 1, radius)))
    beside = count[2 * radius + 1 :] > count[: len(anchors)]
    follows = view.eligible & ~anchors & beside & (confidence >= near)
    surest = best(view, confidence, quota=1) & ~anchors & ~follows
    why = (
        Reason(anchors, f"confidence {{}} is at least {tau:g}", confidence),
        Reason(follows, f"confidence {{}} is at least {near:g}, and a cell surer than {tau:g} is near", confidence),
        Reason(surest, f"confidence {{}}: none reached {tau:g}, this is the surest", confidence),
    )
    return Choice(anchors | follows | surest, why=why)


PRESETS = {
    "local-leap": {
        "title": "LocalLeap",
        "plain": "Sure, and its neighbours",
        "says": "Every cell surer than 0.9, and within four cells of one also those surer than 0.75.",
        "short": "Every word it is 90 % sure of, and beside those also words it is 75 % sure of.",
        "origin": "Kong et al. 2025, arXiv:2510.07081",
        "per_cell": True,
        "settings": {"options": {"tau": 0.9, "near": 0.75, "radius": 4}, "block": 32, "precision": "double"},
    },
}
