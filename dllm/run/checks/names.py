"""No name that nobody introduced"""

import re
from collections.abc import Iterator

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
ACTS = re.compile(r" (?:(?!need|indeed)[a-z]{2,}ed|said|was|had|went|took|gave|saw|ran|came|has)\b")
STARTS = re.compile(r"(^|[.!?…:;\n\"“”‘(\[]|\d\.)\s*$")  # what a sentence or a line begins after
COMMON = frozenset(
    "I I'm I'll I've I'd Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May "
    "You He She It They We This That There These Those Then Now The A An And But So Who What Everyone Nobody Somebody "
    "June July August September October November December Mum Dad Grandma Grandpa Mr Mrs Ms Dr God English".split()
)


def check(text: str, begins: int) -> Iterator[tuple[int, int, str]]:
    """A name in the answer that is neither in the prompt nor the first of the answer's names: who is it?"""
    introduced = {found[0] for found in WORD.finditer(text[:begins])}
    plain = {found[0] for found in WORD.finditer(text) if found[0].islower()}
    counts: dict[str, int] = {}
    for found in WORD.finditer(text, begins):
        counts[_bare(found[0])] = counts.get(_bare(found[0]), 0) + 1
    for found in WORD.finditer(text, begins):
        name = _bare(found[0])
        if not name[:1].isupper() or name in COMMON or name in introduced or name.lower() in plain or len(name) < 2:
            continue
        if counts[name] > 1 or (STARTS.search(text[: found.start()]) and not _acts(text, found.end())):
            introduced.add(name)  # it comes again, or it is only how a sentence begins
            continue
        yield found.start(), found.start() + len(name), f"nobody has introduced {name}"


def _bare(word: str) -> str:
    return re.sub(r"['’]s$", "", word)


def _acts(text: str, end: int) -> bool:
    """Whether the word after this one is one that a person does: `Tom smiled` begins with a name."""
    return bool(ACTS.match(text, end))
