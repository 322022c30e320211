"""No sentence is there twice"""

import re
from collections.abc import Iterator

SENTENCE = re.compile(r"[^\s.!?…](?:[^.!?…\n]|\.(?=\d))*[.!?…]+[\"'”’)]*")
SHORTEST = 3  # words: a short answer such as "Yes." may come again


def check(text: str) -> Iterator[tuple[int, int, str]]:
    before = set[str]()
    for found in SENTENCE.finditer(text):
        words = " ".join(re.findall(r"\w+", found[0])).lower()
        if words.count(" ") + 1 < SHORTEST or "░" in found[0]:
            continue
        if words in before:
            yield found.start(), found.end(), f"this sentence is there already: {found[0][:60]}"
        before.add(words)
