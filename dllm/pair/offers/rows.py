"""Numbers from 10 to 99 in somebody's own words, to be sorted: six as they were learned, fewer as a turn of a talk."""

from __future__ import annotations

import re

SORTS = re.compile(r"\b(?:sort|order|rank|arrange|smallest|lowest|ascending)\b")
OTHERWISE = re.compile(r"\b(?:descending|(?:largest|biggest|highest) (?:first|to)|high to low|alphabet\w*)\b")
LEARNED = 6  # numbers
FEWEST = 4


def sorting(text: str) -> str:
    """Different numbers, smallest first; empty where something else is asked for."""
    ask, numbers = text.lower(), re.findall(r"-?\d+(?:\.\d+)?", text)
    fits = FEWEST <= len(numbers) <= LEARNED and all(re.fullmatch(r"[1-9]\d", one) for one in numbers)
    if not fits or len(set(numbers)) < len(numbers) or not SORTS.search(ask) or OTHERWISE.search(ask):
        return ""
    if len(numbers) == LEARNED:
        return f"Sort: {' '.join(numbers)}\n"
    return f"User: Sort {' '.join(numbers)}\nAssistant:"
