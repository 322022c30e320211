"""Sums are right"""

import re
from collections.abc import Iterator

SUM = re.compile(r"(?<![\d.,+*/=-])(\d{1,9}(?: *[-+*×−] *\d{1,9})+) *= *(-?\d{1,12})(?![\d░])")
PART = re.compile(r"([-+*×−]?) *(\d+)")


def check(text: str) -> Iterator[tuple[int, int, str]]:
    for found in SUM.finditer(text):
        value, term, sign = 0, 1, 1
        for operator, number in PART.findall(found[1]):
            if operator in ("*", "×"):
                term *= int(number)
                continue
            if operator:
                value += sign * term
                sign = 1 if operator == "+" else -1
            term = int(number)
        value += sign * term
        if value != int(found[2]):
            yield found.start(2), found.end(2), f"{found[1]} is {value}"
