"""Sums and differences in somebody's own words: of two numbers from 10 to 99 in steps, as they were learned; with a
smaller number as a question of a talk, the larger number first."""

from __future__ import annotations

import re

LEAST, MOST = 10, 99  # of a number that is added in steps: others were not learned
PLUS = re.compile(r"\b(\d+) ?(?:\+|plus|and|added to) ?(\d+)\b")
MINUS = re.compile(r"\b(\d+) ?(?:-|−|minus|less|take away) ?(\d+)\b")
FROM = re.compile(r"\b(?:subtract|take) (\d+) from (\d+)\b")
OTHER = re.compile(r"\d ?[*x×/÷^%:,.] ?\d|\b(?:times|divided|multipl\w+|percent|product|between|sort|order)\b")
COUNTS = re.compile(r"\bhow (?:many|much)\b")
GAIN = re.compile(r"\b(?:buy|buys|get|gets|gains?|finds?|adds?|receives?|more|together|total|altogether)\b")
LOSS = re.compile(r"\b(?:eats?|eat|loses?|lost|gives?|gave|sells?|sold|spends?|left|remain|fewer|less|fly away)\b")


def total(text: str) -> str:
    """A sum of two numbers; empty where none is asked for."""
    found = _pair(text, PLUS) or _counted(text, GAIN, LOSS)
    if found is None or max(found) > MOST:
        return ""
    if min(found) >= LEAST:
        return f"Sum: {found[0]} + {found[1]}\n"
    return f"User: What is {max(found)} plus {min(found)}?\nAssistant:"


def difference(text: str) -> str:
    """A difference that is not below zero; empty where none is asked for."""
    backwards = _pair(text, FROM)
    found = (backwards[1], backwards[0]) if backwards else _pair(text, MINUS) or _counted(text, LOSS, GAIN)
    if found is None or not found[1] <= found[0] <= MOST:
        return ""
    if found[1] >= LEAST:
        return f"Less: {found[0]} - {found[1]}\n"
    return f"User: What is {found[0]} minus {found[1]}?\nAssistant:"


def _pair(text: str, pattern: re.Pattern[str]) -> tuple[int, int] | None:
    """The two numbers, if the text has no others and asks for nothing else with them."""
    low = text.lower()
    found = pattern.search(low)
    if found is None or OTHER.search(low) or len(re.findall(r"\d+", low)) != 2:
        return None
    return int(found[1]), int(found[2])


def _counted(text: str, does: re.Pattern[str], undoes: re.Pattern[str]) -> tuple[int, int] | None:
    """Two numbers of a question that tells what becomes of a count."""
    low = text.lower()
    numbers = re.findall(r"\d+", low)
    if len(numbers) != 2 or not COUNTS.search(low) or OTHER.search(low) or not does.search(low) or undoes.search(low):
        return None
    return int(numbers[0]), int(numbers[1])
