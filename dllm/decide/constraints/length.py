"""The answer must have from `least` to `most` tokens, words or letters."""

from unmask.decide.grammar.automaton import automaton
from unmask.decide.grammar.rule import Alphabet, Rule
from unmask.errors import InvalidRequest

UNITS = ("letters", "words")


def length(alphabet: Alphabet, least: int = 0, most: int = 0, unit: str = "tokens") -> Rule:
    if unit not in ("tokens", *UNITS):
        raise InvalidRequest(f"a length is counted in tokens, {' or '.join(UNITS)}, not in {unit!r}")
    if least < 0 or most < 0 or (most and most < least) or not (least or most):
        raise InvalidRequest("a length needs `least`, `most` or both, and `most` cannot be the smaller")
    if unit == "tokens":
        return Rule(least=least, most=most or None)
    if unit == "letters":
        return Rule(automaton(f"(?s).{{{least},{most or ''}}}", alphabet))
    words = f"\\S+(\\s+\\S+){{{max(least - 1, 0)},{most - 1 if most else ''}}}"
    return Rule(automaton(f"\\s*({words}){'' if least else '?'}\\s*", alphabet))
