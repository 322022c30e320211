"""Which rows are asked for: those that a policy may write now, and all that somebody watches."""

from __future__ import annotations

import pytest

from tests.inference.test_infer import TOY
from tests.support import PROMPT, begin
from unmask.inference import DistributionCache
from unmask.inference.query import build_query


@pytest.mark.parametrize(("policy", "count"), [("confidence", 4), ("threshold", 4), ("stable", 16)])
def test_nothing_behind_the_block_is_asked_for_unless_it_is_looked_at(policy: str, count: int) -> None:
    """A row of a large model is 152,000 numbers: half a canvas that nobody looks at was computed for nothing."""
    state = begin(policy, cells=16, block=4)
    rows = build_query(TOY.card, state, False, DistributionCache()).rows
    assert rows.tolist() == list(range(len(PROMPT), len(PROMPT) + count))
    assert len(build_query(TOY.card, state, True, DistributionCache()).rows) == 16
