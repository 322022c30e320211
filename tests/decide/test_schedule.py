"""How many cells a pass decides: the published tables, and plans that come out even."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from unmask.decide import schedule
from unmask.errors import InvalidRequest

DRAWN = (1.0, 0.0, 3.0, 2.0)


@given(st.integers(0, 300), st.integers(1, 300))
def test_linear_is_the_published_table(cells: int, turns: int) -> None:
    table = [cells // turns + (i < cells % turns) for i in range(turns)]
    assert schedule.plan("linear", cells, turns) == table
    assert [schedule.share(cells, i, turns) for i in range(turns)] == table


@pytest.mark.parametrize("turns", [*range(1, 34), 48, 64, 100, 128, 256, 512])
def test_timesteps_are_those_of_torch(turns: int) -> None:
    """Dream counts in float32 from torch.linspace; int() is on the edge, so the last bit matters."""
    times = torch.linspace(1, 1e-3, turns + 1)
    for cells in (1, 7, 32, 128, 256, 1000):
        left, table = cells, []
        for i in range(turns):
            wanted = left if i == turns - 1 else int(torch.tensor(float(left)) * (1 - times[i + 1] / times[i]))
            table.append(wanted)
            left -= wanted
        assert schedule.plan("timesteps", cells, turns) == table


@given(st.sampled_from(schedule.NAMES), st.integers(0, 300), st.integers(1, 100), st.floats(0.1, 8))
def test_every_plan_is_used_up(name: str, cells: int, turns: int, bend: float) -> None:
    plan = schedule.plan(name, cells, turns, bend, DRAWN)
    assert sum(plan) == cells and min(plan) >= 0


@given(
    st.sampled_from(schedule.NAMES), st.integers(1, 60), st.integers(1, 20), st.lists(st.integers(-9, 9), max_size=20)
)
def test_pins_and_erasures_are_absorbed(name: str, cells: int, turns: int, upsets: list[int]) -> None:
    left = cells
    for turn in range(turns):
        if turn < len(upsets):
            left = min(max(left + upsets[turn], 0), cells)
        left -= schedule.quota(name, left, turn, turns, 2.0, DRAWN)
        assert left >= 0
    assert left == 0
    assert schedule.quota(name, 5, turns + 3, turns, 2.0, DRAWN) == 5  # passes beyond the plan take the rest


def test_shapes_are_what_they_are_called() -> None:
    halves = {n: sum(schedule.plan(n, 1000, 10, 3.0)[:5]) for n in ("linear", "cosine", "power", "geometric")}
    assert halves["linear"] == 500
    assert halves["cosine"] < 310 and halves["power"] < 200  # few early, many late
    assert halves["geometric"] > 990
    assert schedule.plan("drawn", 60, 4, 2.0, DRAWN) == [10, 0, 30, 20]


@pytest.mark.parametrize("shares", [(), (0.0, 0.0), (1.0, -1.0)])
def test_a_drawn_schedule_needs_a_curve(shares: tuple[float, ...]) -> None:
    with pytest.raises(InvalidRequest, match="shares"):
        schedule.quota("drawn", 5, 0, 3, 2.0, shares)


def test_an_unknown_schedule_names_those_there_are() -> None:
    with pytest.raises(InvalidRequest, match=r"no schedule 'lineal'; there are linear, cosine"):
        schedule.quota("lineal", 5, 0, 3)


def test_a_whole_number_comes_out() -> None:
    assert all(isinstance(q, int) for n in schedule.NAMES for q in schedule.plan(n, 17, 5, 2.0, DRAWN))
    assert not isinstance(schedule.quota("timesteps", 9, 0, 3), np.integer)
