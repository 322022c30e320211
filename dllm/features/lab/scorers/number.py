"""The last number in the answer is that of the reference; commas between thousands do not count."""

import re
from math import isclose
from typing import Any

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def score(prompt: str, text: str, reference: Any) -> float:
    wanted, found = _last(str(reference)), _last(text)
    if wanted is None:
        raise ValueError(f"the reference {str(reference)[:40]!r} has no number")
    return float(found is not None and isclose(found, wanted, rel_tol=1e-9))


def _last(text: str) -> float | None:
    numbers = NUMBER.findall(text)
    return float(numbers[-1].replace(",", "")) if numbers else None
