"""How far from left to right a run was written: equal to counting pairs, with an error that holds."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import unmask
from unmask.inference.decode import decode
from unmask.models.toy import Toy
from unmask.run.spec import RunSpec
from unmask.run.timeline import Node
from unmask.run.writing_order import kendall_tau, writing_order


def path_of(**settings: object) -> tuple[Toy, list[Node]]:
    model = Toy()
    spec = RunSpec.from_dict({"prompt": "1 2", "length": 24, "changes": settings | {"end": "forbid"}})
    head = Node(spec.start(model.card, model.tokenizer))
    path = [head]
    for state, frame in decode(model, head.state):
        path.append(Node(state, path[-1], frame))
    return model, path


def counted(places: list[int], passes: list[int]) -> float:
    """Kendall's tau-b, pair by pair."""
    pairs = list(combinations(range(len(places)), 2))
    score = sum(np.sign((places[a] - places[b]) * (passes[a] - passes[b])) for a, b in pairs)
    untied = sum(passes[a] != passes[b] for a, b in pairs)
    return float(score / np.sqrt(len(pairs) * untied))


def test_tau_is_that_of_counting_pairs_and_its_error_that_of_leaving_each_word_out() -> None:
    rng = np.random.default_rng(0)
    places, passes = np.arange(15), rng.integers(0, 6, 15)
    tau, error = kendall_tau(places, passes)
    assert tau == pytest.approx(counted(places.tolist(), passes.tolist()))
    without = [counted(np.delete(places, i).tolist(), np.delete(passes, i).tolist()) for i in range(15)]
    assert error == pytest.approx(np.sqrt(14 * np.var(without)))
    assert kendall_tau(np.arange(9), np.arange(9)) == (1, 0) and kendall_tau(np.arange(9), -np.arange(9)) == (-1, 0)


def test_the_error_is_how_much_tau_varies_from_run_to_run() -> None:
    """Of words that are written where the last one left off, plus a draw, as a parallel decoder does."""
    rng = np.random.default_rng(1)
    found = [
        kendall_tau(np.arange(60), np.argsort(np.argsort(np.arange(60) + rng.normal(0, 20, 60)))) for _ in range(400)
    ]
    spread, mean_error = np.std([tau for tau, _ in found]), np.mean([error for _, error in found])
    assert 0.8 < mean_error / spread < 1.25


def test_a_run_from_left_to_right_has_one_and_a_random_one_about_none() -> None:
    model, path = path_of(policy="left_to_right")
    found = writing_order(path, model.card)
    assert found is not None and (found.tau, found.error, found.words) == (1, 0, 24)
    assert unmask.decode("1 2", Toy(), length=24, policy="left_to_right", end="forbid").order == found
    model, path = path_of(policy="random", passes=24)
    found = writing_order(path, model.card)
    assert found is not None and abs(found.tau) < 4 * found.error + 0.1 and found.error > 0.02
    model, path = path_of(policy="confidence", passes=1)
    assert writing_order(path, model.card) is None  # all at once has no order
