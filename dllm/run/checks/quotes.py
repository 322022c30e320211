"""Quotes are closed"""

from collections.abc import Iterator

PAIRS = {"“": "”", "«": "»", "„": "“"}


def check(text: str, begins: int) -> Iterator[tuple[int, int, str]]:
    """In each line, from the quote that is not closed to the end of its line."""
    at = 0
    for line in text.split("\n"):
        last = at + len(line)
        if last > begins and "░" not in line and '"""' not in line:
            opened = _opened(line)
            if opened is not None:
                yield max(at + opened, begins), last, "this quote is not closed"
        at = last + 1


def _opened(line: str) -> int | None:
    """The place of the quote that the line does not close."""
    straight = [at for at, letter in enumerate(line) if letter == '"']
    if len(straight) % 2:
        return straight[-1]
    waiting: list[tuple[int, str]] = []
    for at, letter in enumerate(line):
        if waiting and letter == waiting[-1][1]:
            waiting.pop()
        elif letter in PAIRS:
            waiting.append((at, PAIRS[letter]))
    return waiting[0][0] if waiting else None
