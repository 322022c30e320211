"""Intervals: they hold the mean, are the same each time, and grow narrower with more values."""

from unmask.run.stats import share


def test_an_interval_holds_its_mean_and_is_repeatable() -> None:
    one = share([True] * 60 + [False] * 40)
    assert one.low < one.mean == 0.6 < one.high and one == share([True] * 60 + [False] * 40)
    assert 0.15 < one.high - one.low < 0.25


def test_more_values_make_it_narrower() -> None:
    few, many = share([1, 0] * 10), share([1, 0] * 500)
    assert many.high - many.low < (few.high - few.low) / 4


def test_nothing_has_no_mean() -> None:
    assert share([]).count == 0 and str(share([True] * 4)).startswith("100.0 %")
