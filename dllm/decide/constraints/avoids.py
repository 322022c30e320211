"""The answer must not contain this text."""

import re

from unmask.decide.grammar.automaton import automaton
from unmask.decide.grammar.rule import Alphabet, Rule


def avoids(alphabet: Alphabet, text: str) -> Rule:
    return Rule(automaton(f"(?s).*{re.escape(text)}.*", alphabet).complement())
