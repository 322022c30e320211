"""Patterns for numbers between two bounds, as JSON writes them."""

from __future__ import annotations

from math import ceil, floor

LARGEST = 10**18 - 1
INTEGER = "-?(0|[1-9][0-9]{0,17})"
NUMBER = rf"{INTEGER}(\.[0-9]{{1,18}})?([eE][+-]?[0-9]{{1,2}})?"
PLACES = 2  # decimals of a number that lies between two others; more where the bounds have more
MOST_PLACES = 9


def integers(low: int, high: int) -> str:
    """A pattern for the integers from `low` to `high`."""
    if high < 0:
        return f"-{_digits(-high, -low)}"
    if low < 0:
        return either([f"-{_digits(1, -low)}", _digits(0, high)])
    return _digits(low, high)


def numbers(
    low: float | None,
    high: float | None,
    above: float | None = None,
    below: float | None = None,
    places: int | None = None,
) -> str:
    """A pattern for numbers from `low` to `high`, above `above` and below `below`, with at most so many decimals.

    Empty if there are none."""
    if places is None:
        places = max([PLACES, *(_places(bound) for bound in (low, high, above, below) if bound is not None)])
    scale = 10**places
    lows = [ceil(round(low * scale, 6))] if low is not None else []
    lows += [floor(round(above * scale, 6)) + 1] if above is not None else []
    highs = [floor(round(high * scale, 6))] if high is not None else []
    highs += [ceil(round(below * scale, 6)) - 1] if below is not None else []
    least, most = max([*lows, -LARGEST]), min([*highs, LARGEST])
    if least > most:
        return ""
    options = []
    if least < 0:
        options += [f"-{text}" for text in _decimals(max(1, -most), -least, places)]
    if most >= 0:
        options += _decimals(max(0, least), most, places)
    return either(options)


def multiples(step: float, low: int, high: int) -> str:
    """A pattern for integers from `low` to `high` that are multiples of `step`: all, or those near 0; or empty."""
    if step != int(step) or step <= 0:
        return ""
    whole = int(step)
    if whole == 1:
        return integers(low, high)
    first, last = ceil(low / whole), floor(high / whole)
    text = str(whole)
    if text.strip("0") == "1":  # a power of ten
        zeros = "0" * (len(text) - 1)
        options = [integers(max(first, 1), last) + zeros] if last >= 1 else []
        options += ["0"] if first <= 0 <= last else []
        options += [integers(first, min(last, -1)) + zeros] if first <= -1 else []
        return either(options)
    if last - first >= MOST_LISTED:
        first, last = max(first, min(0, last - MOST_LISTED + 1)), min(last, max(0, first) + MOST_LISTED - 1)
    return either([str(n * whole) for n in range(first, last + 1)]) if first <= last else ""


MOST_LISTED = 100  # multiples that are written out


def _places(bound: float) -> int:
    text = f"{bound:.{MOST_PLACES}f}".rstrip("0")
    return len(text.partition(".")[2])


def _decimals(low: int, high: int, places: int) -> list[str]:
    """Patterns for the non-negative numbers from `low` to `high`, both in units of the last of `places` decimals."""
    if not places:
        return [_digits(low, high)]
    scale = 10**places
    first, last = low // scale, high // scale
    if first == last:
        return [f"{first}{_fraction(low % scale, high % scale, places)}"]
    options = [f"{first}{_fraction(low % scale, scale - 1, places)}", f"{last}{_fraction(0, high % scale, places)}"]
    if first + 1 <= last - 1:
        options.append(rf"{_digits(first + 1, last - 1)}(\.[0-9]{{1,{places}}})?")
    return options


def _fraction(low: int, high: int, places: int) -> str:
    """A pattern for what follows the integer part: from `low` to `high` in units of the last decimal."""
    width = f"{{0:0{places}d}}"
    text = rf"\.{_same_digits(width.format(low), width.format(high))}"
    return f"({text})?" if low == 0 else text


def _digits(low: int, high: int) -> str:
    """A pattern for non-negative integers, with one option for each number of digits."""
    options = []
    while low <= high:
        size = len(str(low))
        most = min(high, 10**size - 1)
        options.append(_same_digits(str(low), str(most)))
        low = most + 1
    return either(options)


def _same_digits(low: str, high: str) -> str:
    """A pattern for integers between two of the same number of digits."""
    if set(low[1:]) <= {"0"} and set(high[1:]) <= {"9"}:
        head = low[0] if low[0] == high[0] else f"[{low[0]}-{high[0]}]"
        return head + (f"[0-9]{{{len(low) - 1}}}" if len(low) > 1 else "")
    if low[0] == high[0]:
        return low[0] + _same_digits(low[1:], high[1:])
    first, last, rest = int(low[0]) + 1, int(high[0]) - 1, len(low) - 1
    options = [low[0] + _same_digits(low[1:], "9" * rest)]
    if first <= last:
        options.append(_same_digits(f"{first}{'0' * rest}", f"{last}{'9' * rest}"))
    return either([*options, high[0] + _same_digits("0" * rest, high[1:])])


def either(options: list[str]) -> str:
    return f"({'|'.join(options)})"
