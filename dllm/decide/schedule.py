"""Schedules: how many cells to write at a pass, from the open cells and the passes left. Stateless."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, exp, floor, inf, pi

import numpy as np

from unmask.errors import InvalidRequest

# the share of a region that is still open after a part `u` of its passes; `bend` is the one number that shapes it
REMAINING: dict[str, Callable[[float, float], float]] = {
    "linear": lambda u, bend: 1 - u,
    "cosine": lambda u, bend: cos(pi / 2 * u),  # few cells early, many late: MaskGIT, 2202.04200
    "power": lambda u, bend: 1 - u**bend,  # bend > 1 starts slowly, bend < 1 starts fast
    "geometric": lambda u, bend: (exp(-5 * bend * u) - exp(-5 * bend)) / (1 - exp(-5 * bend)),  # shares of what is left
}
NAMES = (*REMAINING, "drawn", "timesteps")


def quota(
    name: str, still_open: int, block_pass: int, block_passes: int, bend: float = 2.0, shares: Sequence[float] = ()
) -> int:
    """Cells to decide at pass `block_pass` of `block_passes`, of the `still_open` ones."""
    if still_open <= 0:
        return 0
    if block_pass >= block_passes - 1:
        return still_open  # the last pass of a plan, and any after it, writes the rest
    if name == "linear":
        # equals the published table n // S (+1 for the first n mod S)
        return -(-still_open // (block_passes - block_pass))
    if name == "timesteps":
        return _timesteps(still_open, block_pass, block_passes)
    before, after = (_remaining(name, k / block_passes, bend, shares) for k in (block_pass, block_pass + 1))
    keep = still_open * (after / before) if before > 0 else 0.0
    return still_open - floor(keep + 1e-9)


def share(cells: int, block_pass: int, block_passes: int) -> int:
    """LLaDA's table of cells per pass, for a block that began with `cells` open; independent of what was written."""
    return cells // block_passes + (block_pass < cells % block_passes)


def _timesteps(still_open: int, block_pass: int, block_passes: int, eps: float = 1e-3) -> int:
    """Dream's linear times from 1 to eps, in float32 as published; may be 0, a pass that writes nothing."""
    # float32 from both ends, as torch.linspace computes it: int() below truncates, so the last bit matters
    stride = (np.float32(eps) - np.float32(1)) / np.float32(block_passes)

    def time(k: int) -> np.float32:
        if k < (block_passes + 1) // 2:
            return np.float32(1) + stride * np.float32(k)
        return np.float32(eps) - stride * np.float32(block_passes - k)

    return int(np.float32(still_open) * (np.float32(1) - time(block_pass + 1) / time(block_pass)))


def _remaining(name: str, u: float, bend: float, shares: Sequence[float]) -> float:
    if name in REMAINING:
        return REMAINING[name](u, bend)
    if name != "drawn":
        raise InvalidRequest(f"no schedule '{name}'; there are {', '.join(NAMES)}")
    # a hand-drawn curve: shares of equal intervals of time; the area left of u is what is written by then
    if not shares or not min(shares) >= 0 or not 0 < sum(shares) < inf:
        raise InvalidRequest("a drawn schedule needs a list of shares, none negative, not all zero and none endless")
    area = np.concatenate([[0.0], np.cumsum(shares)]) / sum(shares)
    return float(1 - np.interp(u, np.linspace(0, 1, len(area)), area))


def plan(name: str, cells: int, block_passes: int, bend: float = 2.0, shares: Sequence[float] = ()) -> list[int]:
    """The cells per pass of a whole block, to show before a run."""
    left, row = cells, []
    for block_pass in range(block_passes):
        row.append(quota(name, left, block_pass, block_passes, bend, shares))
        left -= row[-1]
    return row
