"""The answer must be a text of this grammar, in llama.cpp's or Lark's notation; a space may stand before it."""

from unmask.decide.grammar.automaton import automaton
from unmask.decide.grammar.notation import grammar_pattern
from unmask.decide.grammar.rule import Alphabet, Rule


def grammar(alphabet: Alphabet, text: str, depth: int = 2) -> Rule:
    return Rule(automaton(f" ?{grammar_pattern(text, depth)}", alphabet))
