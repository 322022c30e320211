"""The answer must contain this text; where it begins or ends with a letter or digit, not as a part of a longer word."""

import re

from unmask.decide.grammar.automaton import automaton
from unmask.decide.grammar.rule import Alphabet, Rule


def contains(alphabet: Alphabet, text: str) -> Rule:
    before = r"(.*\W)?" if re.match(r"\w", text) else ".*"
    after = r"(\W.*)?" if re.search(r"\w$", text) else ".*"
    return Rule(automaton(f"(?s){before}{re.escape(text)}{after}", alphabet))
