"""Operations on tables give the same with numpy and torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from unmask.inference.sampling import prefer_argmax, sample, topk
from unmask.models import array_ops as ops

RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(6, 5003)).astype(np.float32) * 3
COLUMNS = RNG.integers(0, 5003, (6, 4))
SORTED = np.sort(RNG.random((6, 30)), axis=-1)


def both(work: Callable[..., Any], *arrays: np.ndarray) -> tuple[Any, Any]:
    """What `work` gives for numpy arrays and for tensors, as arrays."""
    ours = work(*(array.copy() for array in arrays))
    theirs = work(*(torch.from_numpy(array.copy()) for array in arrays))
    return np.asarray(ours), np.asarray(theirs)


@pytest.mark.parametrize("work", [
    ops.softmax,
    ops.logsumexp,
    ops.row_max,
    lambda x: ops.log(ops.softmax(x)),
    lambda x: ops.floor_at(x, -1.0),
    lambda x: ops.where(x > 0, x, ops.lowest(x) / 4),
    lambda x: ops.concat([x, x[:, :3]]),
    lambda x: ops.astype(x, "float64"),
    lambda x: ops.gather(x, ops.like(x, COLUMNS)),
])  # fmt: skip
def test_an_operation_is_the_same_with_both(work: Callable[..., Any]) -> None:
    ours, theirs = both(work, TABLE)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)


def test_filling_writes_in_place() -> None:
    for x in (TABLE.copy(), torch.from_numpy(TABLE.copy())):
        ops.fill(x, x > 0, -7.0)
        assert np.array_equal(np.asarray(x), np.where(TABLE > 0, np.float32(-7), TABLE))


def test_a_search_counts_numbers_up_to_the_wanted_one() -> None:
    wanted = SORTED[:, 7:8]
    ours, theirs = both(ops.search_right, SORTED, wanted)
    assert np.array_equal(ours, theirs) and (ours == 8).all()


def test_bits_are_compared() -> None:
    assert ops.equal(TABLE, TABLE.copy()) and not ops.equal(TABLE, TABLE + 1e-3)
    x = torch.from_numpy(TABLE)
    assert ops.equal(x, x.clone()) and not ops.equal(x, x + 1e-3)


@pytest.mark.parametrize(("rows", "k"), [(6, 5), (1, 5), (6, 1), (6, 40)])
def test_the_largest_are_the_same_with_both(rows: int, k: int) -> None:
    p = ops.softmax(TABLE[:rows])
    (values, ids), (torch_values, torch_ids) = topk(p, k), topk(torch.from_numpy(p), k)
    assert np.array_equal(values, torch_values.numpy()) and np.array_equal(ids, torch_ids.numpy())
    assert np.array_equal(values, np.sort(p, axis=-1)[:, ::-1][:, :k])


def test_ties_and_samples_are_the_same_with_both() -> None:
    p, draws = ops.softmax(TABLE), RNG.random(6)
    p[2, :] = 0
    p[2, [9, 4000]] = 0.5
    ours, theirs = both(sample, p, draws)
    assert np.array_equal(ours, theirs) and ours[2] in (9, 4000)
    values, ids = topk(p, 3)
    ours, theirs = both(prefer_argmax, values, ids, p)
    assert np.array_equal(ours, theirs) and ours[2, 0] == 9


def test_a_row_has_the_same_bits_alone() -> None:
    for work in (ops.softmax, lambda x: x.sum(-1), ops.logsumexp):
        whole = work(TABLE.copy())
        for row in range(len(TABLE)):
            assert np.array_equal(work(TABLE[row : row + 1].copy())[0], whole[row])
