"""Tests with many parameters: a few of them run in `make test`, and all in `make test-all`."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def mostly_long(rows: Iterable[Any], often: Collection[Any]) -> list[Any]:
    """Parameters, of which only those in `often` run in `make test`."""
    return [
        row if row in often else pytest.param(*(row if isinstance(row, tuple) else (row,)), marks=pytest.mark.long)
        for row in rows
    ]
