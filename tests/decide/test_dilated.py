"""Dilated unmasking, against its groups as the paper defines them."""

from math import ceil, log

import pytest

from tests.support import run
from unmask.canvas import blank
from unmask.models.toy import Toy
from unmask.run.presets import preset
from unmask.run.settings import Settings
from unmask.run.state import start


def groups(size: int, base: int) -> list[list[int]]:
    """P_t = the cells k not yet written with (k - 1) mod s_t = 0, where s_t = floor(B / a^t), t = 1 … ceil(log_a B)."""
    left, found = list(range(1, size + 1)), []
    for t in range(1, ceil(log(size, base) - 1e-9) + 1):
        gap = max(1, size // base**t)
        found.append([k - 1 for k in left if (k - 1) % gap == 0])
        left = [k for k in left if (k - 1) % gap]
    return [cells for cells in [*found, [k - 1 for k in left]] if cells]


@pytest.mark.parametrize("size, base", [(32, 2), (24, 2), (8, 2), (27, 3), (13, 2), (1, 2)])
def test_each_pass_writes_the_next_group(size: int, base: int) -> None:
    state = start(blank([[1, 2], size]), Settings(policy="dilated", options={"base": base}, passes=size))
    passes = [(frame.cells - 2).tolist() for _, frame in run(Toy(), state)]
    assert passes == (groups(size, base) if size > 1 else [[0]])


def test_a_block_of_32_takes_five_passes() -> None:
    passes = run(Toy(), start(blank([[1], 64]), preset("dus").over(64)))
    assert len(passes) == 10
