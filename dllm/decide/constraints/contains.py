"""The answer must contain this text."""

import re

from dllm.decide.grammar.automaton import automaton
from dllm.decide.grammar.rule import Alphabet, Rule


def contains(alphabet: Alphabet, text: str) -> Rule:
    return Rule(automaton(f"(?s).*{re.escape(text)}.*", alphabet))
