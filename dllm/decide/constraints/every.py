"""The answer must meet every one of these constraints."""

from collections.abc import Mapping, Sequence
from typing import Any

from unmask.decide.constraint import rule
from unmask.decide.grammar.rule import Alphabet, Rule
from unmask.errors import InvalidRequest


def every(alphabet: Alphabet, of: Sequence[Mapping[str, Any]]) -> Rule:
    if not of:
        raise InvalidRequest("`every` needs a list of constraints")
    first, *others = [rule(each, alphabet) for each in of]
    for other in others:
        first = first.intersection(other)
    return first
