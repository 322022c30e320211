"""What decoders write, enumerated on worlds that can be counted: the figures of the lessons, to 1e-9."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.long import grown
from unmask.errors import InvalidRequest
from unmask.inference.decode import decode
from unmask.inference.outcomes import ceiling, outcomes
from unmask.models import load
from unmask.models.oracle import Oracle
from unmask.run.spec import RunSpec


def right(size: int, changes: dict[str, Any]) -> float:
    """The share of permutations among all that a decoder writes at temperature 1."""
    oracle = load(f"permutations:{size}")
    assert isinstance(oracle, Oracle)
    plan = {"temperature": 1.0, "policy": "confidence", "block": 0, "precision": "double"} | changes
    found = outcomes(oracle, RunSpec("", length=size, changes=plan).start(oracle.card, oracle.tokenizer))
    assert sum(found.values()) == pytest.approx(1, abs=1e-9)
    texts = set(map(tuple, oracle.texts.tolist()))
    return sum(share for text, share in found.items() if text in texts)


@pytest.mark.parametrize(
    "shares, wanted",
    [((4,), 3 / 32), ((3, 1), 0.375), ((1, 3), 2 / 9), ((2, 1, 1), 0.75), ((1, 1, 2), 0.5), ((1, 1, 1, 1), 1.0)],
)
def test_the_price_of_parallelism_on_permutations_of_four(shares: tuple[int, ...], wanted: float) -> None:
    changes = {"schedule": "drawn", "shares": [s / 4 for s in shares], "passes": len(shares)}
    assert right(4, changes) == pytest.approx(wanted, abs=1e-9)


def test_the_best_schedule_is_the_ceiling() -> None:
    oracle = load("permutations:4")
    assert isinstance(oracle, Oracle)
    canvas = RunSpec("", length=4).start(oracle.card, oracle.tokenizer).canvas
    texts = set(map(tuple, oracle.texts.tolist()))
    found = [ceiling(oracle, canvas, passes, texts) for passes in (1, 2, 3, 4)]
    assert found == pytest.approx([3 / 32, 0.375, 0.75, 1.0], abs=1e-9)


@pytest.mark.parametrize("runs", grown(1_000, 10_000))
def test_enumerated_shares_are_those_that_are_drawn(runs: int) -> None:
    """Within four standard errors for every text."""
    oracle = load("permutations:3")
    spec = RunSpec(
        "", length=3, changes={"temperature": 1.0, "policy": "threshold", "options": {"tau": 0.5}, "passes": 3}
    )
    counted = outcomes(oracle, spec.start(oracle.card, oracle.tokenizer))
    drawn = dict.fromkeys(counted, 0)
    for seed in range(runs):
        *_, (last, _) = decode(oracle, replace(spec, seed=seed).start(oracle.card, oracle.tokenizer))
        drawn[tuple(last.canvas.tokens.tolist())] += 1
    for text, share in counted.items():
        assert abs(drawn[text] / runs - share) < 4 * np.sqrt(share * (1 - share) / runs) + 1e-9


def test_a_decoder_with_random_draws_of_its_own_is_refused() -> None:
    oracle = load("permutations:4")
    spec = RunSpec("", length=4, changes={"temperature": 1.0, "policy": "random", "passes": 4})
    with pytest.raises(InvalidRequest, match="makes random choices of its own"):
        outcomes(oracle, spec.start(oracle.card, oracle.tokenizer))
