"""Thirty visitors, some of whom do harm: nobody waits for ever, no token changes, nothing is left over."""

import pytest

from bench.soak import KINDS, OWN, centile, soak


@pytest.mark.long
def test_a_minute_of_visitors() -> None:
    seen, figures, status = soak(60)
    assert status == 0
    assert not +seen.errors, dict(seen.errors)
    assert figures["threads"][-1] <= figures["threads"][0] + 2
    assert figures["tasks"][-1] <= OWN  # the server's own: nobody's session or line is left
    assert figures["memory"][-1] < figures["memory"][0] + (150 << 20)
    assert seen.frames > 500
    assert seen.compared >= KINDS["plain"] + KINDS["reconnecting"] + KINDS["program"]  # each of them at least once
    assert max(seen.waits.values()) < 30 and centile(seen.passes, 0.99) < 10
