"""The answer must be JSON that fits this schema, its keys in the schema's order."""

from collections.abc import Mapping
from typing import Any

from unmask.decide.grammar.automaton import automaton
from unmask.decide.grammar.json_schema import as_pattern
from unmask.decide.grammar.rule import Alphabet, Rule


def schema(alphabet: Alphabet, schema: Mapping[str, Any], depth: int = 0) -> Rule:
    return Rule(automaton(rf"\s?{as_pattern(schema, depth)}\s*", alphabet), structure=True)
