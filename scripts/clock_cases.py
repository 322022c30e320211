"""Writes `tests/contract/clock_cases.json`: times of passes that the page's formula must agree with."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

from unmask.run.fed_tokens import Work
from unmask.run.modelled_time import Clock
from unmask.run.pass_time import CHIPS, SIZES

FILE = Path(__file__).parents[1] / "tests" / "contract" / "clock_cases.json"
WORKS = (Work(1, 1, 300), Work(1, 112, 0), Work(2, 32, 274), Work(0, 8, 8), Work(1, 1024, 0))


def cases() -> dict[str, Any]:
    """Every chip with every model, each with another number of users and efficiency."""
    rows = []
    for i, (chip, size) in enumerate(product(CHIPS, SIZES)):
        users, efficiency, overhead = 4 ** (i % 5), (0.3, 0.6, 0.9, 1)[i % 4], (0, 1e-4)[i % 2]
        clock = Clock(CHIPS[chip], SIZES[size], users, efficiency, overhead)
        row = {"chip": chip, "size": size, "users": users, "efficiency": efficiency, "overhead": overhead}
        rows.append(row | {"seconds": [clock.seconds(work) for work in WORKS]})
    sizes = {name: {"bytes": size.bytes_each} | asdict(size) for name, size in SIZES.items()}
    works = [{"forwards": w.forwards, "tokens": w.tokens, "cached": w.cached} for w in WORKS]
    return {"chips": {name: asdict(c) for name, c in CHIPS.items()}, "sizes": sizes, "works": works, "cases": rows}


def text() -> str:
    return json.dumps(cases(), indent=1) + "\n"


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    FILE.write_text(text())
