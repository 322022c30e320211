"""A word is drawn by its probability: as by the whole table's sums, never one of probability 0, alone as in company."""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch

from unmask.inference.sampling import CHUNK, _first_few, _largest, sample


def lucks(seed: int, rows: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).random(rows))


def by_the_whole_table(p: torch.Tensor, draws: torch.Tensor) -> torch.Tensor:
    """The inverse CDF as it is written in books."""
    cdf = p.double().cumsum(-1)
    wanted = draws[:, None] * cdf[:, -1:]
    return torch.searchsorted(cdf, wanted, right=True)[:, 0].clamp_(max=p.shape[1] - 1)


@pytest.mark.parametrize("words", [7, CHUNK - 1, CHUNK, CHUNK + 1, 4096, 5000])
def test_the_same_words_as_by_the_whole_table(words: int) -> None:
    torch.manual_seed(words)
    p = torch.randn(2000, words).mul_(3).softmax(-1)
    draws = lucks(words, 2000)
    mine, book = sample(p, draws), by_the_whole_table(p, draws)
    assert int((mine != book).sum()) <= 1  # luck within the rounding of an edge


def test_no_word_of_probability_zero_is_drawn() -> None:
    torch.manual_seed(0)
    p = torch.randn(500, 3 * CHUNK + 5).softmax(-1)
    p[:, torch.rand(p.shape[1]) < 0.9] = 0
    p[:, -CHUNK:] = 0
    for draws in (torch.zeros(500).double(), torch.full((500,), 1 - 2**-53, dtype=torch.float64), lucks(0, 500)):
        assert (p.gather(1, sample(p, draws)[:, None]) > 0).all()


def test_a_row_draws_alone_what_it_draws_in_company() -> None:
    torch.manual_seed(1)
    p, draws = torch.randn(64, 10_000).softmax(-1), lucks(1, 64)
    assert sample(p, draws).tolist() == [int(sample(p[i : i + 1], draws[i : i + 1])) for i in range(64)]


def test_frequencies_are_the_probabilities() -> None:
    p = torch.tensor([[0.5, 0.25, 0.125, 0.125]]).expand(40_000, 4)
    counts = torch.bincount(sample(p, lucks(2, 40_000)), minlength=4) / 40_000
    assert torch.allclose(counts, p[0], atol=0.012)


def test_it_costs_a_part_of_what_the_whole_table_costs() -> None:
    """64 rows of 152,000 words: a large model's table."""
    p, draws = torch.rand(64, 152_000).softmax(-1), lucks(3, 64)

    def fastest(work: object) -> float:
        assert callable(work)
        times = []
        for _ in range(5):
            began = time.process_time()
            work()
            times.append(time.process_time() - began)
        return min(times)

    assert fastest(lambda: sample(p, draws)) < 0.5 * fastest(lambda: by_the_whole_table(p, draws))


def test_a_few_are_found_as_many_are() -> None:
    """The k largest, the first columns where values are equal."""
    p = np.random.default_rng(5).integers(0, 9, (40, 60)).astype(np.float32)
    for k in (1, 5, 8):
        values, ids = _first_few(p, k)
        assert np.sort(ids).tolist() == _largest(p, k).tolist()
        assert ids.tolist() == np.argsort(-p, axis=-1, kind="stable")[:, :k].tolist()
        assert values.tolist() == np.take_along_axis(p, ids, -1).tolist()
