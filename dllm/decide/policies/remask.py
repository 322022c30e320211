"""The reverse process with remasking: written cells may be erased again (ReMDM, arXiv:2503.00307)."""

import numpy as np

from unmask.belief import ORDER, REOPEN
from unmask.decide import Annotated, Choice, EnumKnob, Knob, Needs, Reason, View

group = "revises"
needs = Needs(rows="answer")
revises = True
WAYS = ("cap", "rescale", "confidence", "loop")
LOOPED = 0.1  # the share of open cells while a loop holds


def remask(
    view: View,
    way: Annotated[str, EnumKnob(WAYS, "how the rate of taking back is set")] = "cap",
    rate: Annotated[float, Knob(0, 1, "the cap, or the share of the greatest possible rate")] = 0.02,
    on: Annotated[float, Knob(0, 1, "a loop begins when the part of the looks that is left is this")] = 0.55,
    off: Annotated[float, Knob(0, 1, "and ends when it is this")] = 0.05,
) -> Choice:
    # remembered: how sure each cell was when written
    when = np.zeros(len(view.canvas)) if view.memory is None else view.memory
    before, after, holding = _times(view, way, on, off)
    most = min(1.0, after / (1 - before)) if before < 1 else 1.0  # beyond it a probability of unmasking is above 1
    sigma = np.full(len(view.canvas), most * rate if way == "rescale" else min(rate, most))
    if way == "loop" and not holding:
        sigma[:] = 0
    placed = view.written & view.block
    if way == "confidence" and placed.any():
        doubt = np.where(placed, np.exp(-when), 0)  # the less confident when written, the likelier it is erased
        sigma = most * doubt / doubt.sum()
    if view.block_pass >= view.block_passes - 1:
        sigma[:] = 0
    write_rate = np.clip((1 - after - (1 - sigma) * (1 - before)) / before, 0, 1) if before > 0 else np.ones(len(sigma))
    write = view.eligible & (view.random_draws(ORDER) < write_rate)
    erase = placed & (view.random_draws(REOPEN) < sigma)
    why = (
        Reason(write, "drawn: closed with probability {}", write_rate),
        Reason(erase, "drawn: taken back with probability {}", sigma),
    )
    stay = view.block_pass < view.block_passes - 1  # even on a full canvas, cells may be erased until the plan ends
    return Choice(write, erase, memory=np.where(write, view.belief.confidence, when), why=why, stay=stay)


def _times(view: View, way: str, on: float, off: float) -> tuple[float, float, bool]:
    """The share of open cells before and after this pass, and whether a loop holds it constant."""
    left, next_left = 1 - view.block_pass / view.block_passes, max(0.0, 1 - (view.block_pass + 1) / view.block_passes)
    if way != "loop":
        return left, next_left, False

    def share(x: float) -> float:
        if x > on:
            return LOOPED + (1 - LOOPED) * (x - on) / (1 - on)
        return LOOPED * x / off if x < off else LOOPED

    return share(left), share(next_left), off <= next_left and left <= on


PRESETS = {
    "remdm": {
        "title": "ReMDM",
        "plain": "Random retries",
        "says": "The reverse process that may take back what it wrote.",
        "short": "Fills cells at random and takes some of them back at random.",
        "origin": "Wang et al. 2025, arXiv:2503.00307",
        "per_cell": True,
        "settings": {"options": {"way": "cap", "rate": 0.02}, "temperature": 1.0, "top_p": 0.9},
    },
}
