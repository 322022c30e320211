"""A canvas says what stands where, and is never changed in place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.belief import NOISE, ORDER, PROPOSE, fill_with_noise, random_draws
from unmask.canvas import NOTHING, Canvas, blank

CELLS = st.lists(st.integers(2, 9), unique=True, max_size=8)


def letters(canvas: Canvas) -> str:
    kinds = zip(canvas.given, canvas.pinned, canvas.open, strict=True)
    return "".join("g" if g else "p" if p else "o" if o else "w" for g, p, o in kinds)


def test_blanks_and_givens_stand_in_reading_order() -> None:
    canvas = blank([[7, 8], 3, [9], 1])
    assert letters(canvas) == "ggooogo"
    assert canvas.tokens.tolist() == [7, 8, NOTHING, NOTHING, NOTHING, 9, NOTHING]
    assert canvas.origin == 2 and canvas.answer.sum() == 4


def test_a_canvas_of_only_prompt_begins_its_answer_behind_it() -> None:
    assert blank([[1, 2, 3]]).origin == 3
    assert len(blank([])) == 0


@given(CELLS, CELLS)
def test_edits_leave_the_canvas_they_came_from_alone(pins: list[int], erased: list[int]) -> None:
    canvas = blank([[7, 8], 8])
    copy = Canvas(*(row.copy() for row in (canvas.tokens, canvas.open, canvas.pinned, canvas.given, canvas.ids)))
    pinned = canvas.pin(pins, [c + 20 for c in pins])
    loose = pinned.release(pins).erase(canvas.mask(erased))
    assert canvas.same(copy)
    assert np.flatnonzero(pinned.pinned).tolist() == sorted(pins)
    assert all(pinned.tokens[c] == c + 20 and not pinned.open[c] for c in pins)
    assert np.flatnonzero(loose.open).tolist() == sorted({*range(2, 10)} - ({*pins} - {*erased}))


@given(st.integers(2, 10), st.integers(1, 12))
def test_stretching_there_and_back_is_nothing(at: int, by: int) -> None:
    canvas = blank([[7, 8], 8]).pin([3, 9], [1, 2])
    longer = canvas.stretch(at, by)
    assert len(longer) == 10 + by and longer.open[at : at + by].all()
    assert len(set(longer.ids.tolist())) == len(longer)
    assert longer.stretch(at, -by).same(canvas)


def test_random_draws_are_the_same_whoever_else_is_there() -> None:
    cells = np.arange(64)
    whole = random_draws(7, 3, cells, PROPOSE)
    some = np.array([5, 60, 2])
    assert np.array_equal(random_draws(7, 3, some, PROPOSE), whole[some])
    assert ((whole >= 0) & (whole < 1)).all()


@pytest.mark.parametrize("other", [(8, 3, PROPOSE), (7, 4, PROPOSE), (7, 3, ORDER)])
def test_random_draws_differ_by_seed_step_and_use(other: tuple[int, int, int]) -> None:
    seed, step, use = other
    cells = np.arange(64)
    assert not np.array_equal(random_draws(7, 3, cells, PROPOSE), random_draws(seed, step, cells, use))


def test_random_draws_are_even() -> None:
    draws = np.concatenate([random_draws(seed, 0, np.arange(1000), NOISE) for seed in range(20)])
    counts = np.histogram(draws, bins=50, range=(0, 1))[0]
    assert ((counts - 400) ** 2 / 400).sum() < 95  # chi-square, 49 degrees: p = 0.0001


def test_inserted_cells_leave_the_random_draws_of_others_alone() -> None:
    canvas = blank([12])
    before, after = (random_draws(1, 2, c.ids, PROPOSE) for c in (canvas, canvas.stretch(4, 3)))
    assert np.array_equal(before, np.delete(after, [4, 5, 6]))


def test_noise_fills_open_cells_only_and_is_a_function_of_when() -> None:
    canvas = blank([[7, 8], 40]).pin([5], [3])
    first, again, later = (fill_with_noise(canvas, 1, step, 50) for step in (0, 0, 1))
    assert first.same(again) and not first.same(later)
    assert (first.tokens[first.open] >= 0).all() and (first.tokens[first.open] < 50).all()
    assert first.tokens[[0, 1, 5]].tolist() == [7, 8, 3]
    assert fill_with_noise(canvas, 1, 0, 0) is canvas
