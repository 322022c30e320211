"""Lines rhyme"""

import re
from collections.abc import Iterator

ENDING = re.compile(r"([aeiouyäöü]+[^aeiouyäöü\W\d_]*|[aeiouyäöü]+[^aeiouyäöü\W\d_]*e)$")


def check(text: str, begins: int) -> Iterator[tuple[int, int, str]]:
    """The last word of every second line of the answer, where it does not sound like that of the line before."""
    lines = [(found.start(), found[0]) for found in re.finditer(r"[^\n]+", text) if found[0].strip()]
    lines = [(at, line) for at, line in lines if at >= begins or at + len(line) > begins]
    for (_, one), (at, two) in zip(lines[::2], lines[1::2], strict=False):
        first, second = _last(one), _last(two)
        if not first or not second or "░" in one + two:
            continue
        if _sound(first[0]) != _sound(second[0]) or first[0].lower() == second[0].lower():
            yield at + second.start(), at + second.end(), f"{second[0]} does not rhyme with {first[0]}"


def _last(line: str) -> re.Match[str] | None:
    return re.search(r"[^\W\d_]+(?=[^\w]*$)", line)


def _sound(word: str) -> str:
    """The letters from the last vowel that is heard; `e` at the end is not."""
    word = word.lower()
    bare = word[:-1] if len(word) > 3 and word.endswith("e") and word[-2] not in "aeiouy" else word
    found = ENDING.search(bare)
    return found[0] if found else bare[-2:]
