"""A minute of thirty visitors, some of whom do harm: nobody waits for ever, no token changes, nothing is left over."""

import pytest

from bench.soak import centile, soak


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_minute_of_visitors() -> None:
    seen, figures, status = soak(60)
    assert status == 0
    assert not +seen.errors, dict(seen.errors)
    assert seen.frames > 500 and seen.compared > 10
    assert max(seen.waits.values()) < 30 and centile(seen.passes, 0.99) < 10
    assert figures["threads"][-1] <= figures["threads"][0] + 2
    assert figures["tasks"][-1] <= 12  # the server's own: nobody's session or line is left
    assert figures["memory"][-1] < figures["memory"][0] + (150 << 20)
