"""How much of a run's text is final: the cells from the front that no later pass changes."""

from __future__ import annotations

import numpy as np

from unmask.canvas import Card
from unmask.decide import get_policy
from unmask.run.state import State
from unmask.run.stats import decided_prefix


def settled_cells(state: State, card: Card) -> int:
    """Cells from the front that will not change while the run goes on."""
    canvas, policy = state.canvas, get_policy(state.settings.policy)
    front = decided_prefix(canvas)
    if state.settings.checks and not state.done:
        return 0
    if not policy.revises:
        return front
    if policy.settled is None:
        return 0
    pending = state.verified if state.verified is not None else canvas.open & False
    mask = policy.settled(canvas, pending, state.memory, card.skips)[:front]
    return int(np.argmin(mask)) if not mask.all() else front
