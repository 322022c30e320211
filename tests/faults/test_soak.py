"""Thirty visitors, some of whom do harm: nobody waits for ever, no token changes, nothing is left over."""

import pytest

from bench.soak import KINDS, OWN, Seen, centile, soak


def sound(seen: Seen, figures: dict[str, list[float]], status: int) -> None:
    assert status == 0
    assert not +seen.errors, dict(seen.errors)
    assert figures["threads"][-1] <= figures["threads"][0] + 2
    assert figures["tasks"][-1] <= OWN  # the server's own: nobody's session or line is left
    assert figures["memory"][-1] < figures["memory"][0] + (150 << 20)


@pytest.mark.slow
@pytest.mark.long
def test_each_of_thirty_visitors_once() -> None:
    seen, *rest = soak(60, visits=1, idle=3, patience=1)
    sound(seen, *rest)
    assert seen.frames > 300
    assert seen.compared == KINDS["plain"] + KINDS["reconnecting"] + KINDS["program"]


@pytest.mark.long
def test_a_minute_of_visitors() -> None:
    seen, *rest = soak(60)
    sound(seen, *rest)
    assert seen.frames > 500 and seen.compared > 10
    assert max(seen.waits.values()) < 30 and centile(seen.passes, 0.99) < 10
