"""The whole answer must match this regular expression; a space may stand before it."""

import re

from unmask.decide.grammar.automaton import automaton
from unmask.decide.grammar.rule import Alphabet, Rule
from unmask.errors import InvalidRequest


def regex(alphabet: Alphabet, pattern: str) -> Rule:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise InvalidRequest(f"the pattern cannot be read: {error}") from error
    return Rule(automaton(f" ?(?:{pattern})", alphabet))
