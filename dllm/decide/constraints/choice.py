"""The answer must be one of these texts; a space may stand before it."""

import re
from collections.abc import Sequence

from unmask.decide.grammar.automaton import automaton
from unmask.decide.grammar.rule import Alphabet, Rule
from unmask.errors import InvalidRequest


def choice(alphabet: Alphabet, options: Sequence[str]) -> Rule:
    if not options or not all(isinstance(option, str) and option for option in options):
        raise InvalidRequest("a choice needs a list of texts")
    return Rule(automaton(f" ?({'|'.join(map(re.escape, options))})", alphabet), structure=True)
