"""Tests with many parameters: a few of them run in `make test`, and all in `make test-all`."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def grown(short: Any, long: Any) -> list[Any]:
    """One parameter: what `make test` runs, and what `make test-all` runs in its place, which has all of it."""
    return [
        pytest.param(*(row if isinstance(row, tuple) else (row,)), marks=mark)
        for row, mark in ((short, pytest.mark.short), (long, pytest.mark.long))
    ]


def mostly_long(rows: Iterable[Any], often: Collection[Any]) -> list[Any]:
    """Parameters, of which only those in `often` run in `make test`."""
    return [
        row if row in often else pytest.param(*(row if isinstance(row, tuple) else (row,)), marks=pytest.mark.long)
        for row in rows
    ]
