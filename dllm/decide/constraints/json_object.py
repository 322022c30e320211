"""The answer must be a JSON object with any keys, with objects and lists nested at most `depth` deep."""

from unmask.decide.grammar.automaton import automaton
from unmask.decide.grammar.json_schema import GAP, LETTER
from unmask.decide.grammar.rule import Alphabet, Rule

NAME = f'"{LETTER}*"'
PLAIN = rf"({NAME}|-?(0|[1-9][0-9]*)(\.[0-9]+)?|true|false|null)"


def json_object(alphabet: Alphabet, depth: int = 1) -> Rule:
    value = PLAIN
    for _ in range(depth):
        value = f"({PLAIN}|{_object(value)}|{_comma_separated('[', value, ']')})"
    return Rule(automaton(rf"\s?{_object(value)}\s*", alphabet), structure=True)


def _object(value: str) -> str:
    return _comma_separated("{", f"{NAME}:{GAP}{value}", "}")


def _comma_separated(begins: str, item: str, ends: str) -> str:
    return rf"\{begins}({item}(,{GAP}{item})*)?\{ends}"
