"""The plan of a run: how many passes it may take, and how many cells the schedule would write at each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unmask.decide import schedule
from unmask.run.state import State


@dataclass(frozen=True)
class Plan:
    """The planned passes from a state on. A decoder that writes every sure token needs fewer."""

    passes: int  # at most
    quotas: tuple[int, ...]  # cells per pass, in order; without passes that find no open cell
    blocks: int

    def to_dict(self) -> dict[str, Any]:
        return {"passes": self.passes, "quotas": [*self.quotas], "blocks": self.blocks}


def plan_run(state: State) -> Plan:
    """The plan for the open cells of a state, block by block, in the engine's order."""
    canvas, s = state.canvas, state.settings
    quotas: list[int] = []
    blocks = sorted({state.block_of(int(cell)) for cell in np.flatnonzero(canvas.open)})
    for block in blocks:
        there = replace(state, block=block)
        begins, ends = there.bounds
        cells = int(canvas.open[begins:ends].sum())
        turn = state.block_pass if block == state.block else 0
        left = cells
        for k in range(turn, max(there.block_passes, turn + 1)):
            count = schedule.quota(s.schedule, left, k, there.block_passes, s.bend, s.shares)
            left -= count
            if left + count > 0:
                quotas.append(count)
    return Plan(len(quotas), tuple(quotas), len(blocks))
