"""A rule: the requirement of one constraint, as an automaton, a number of tokens, or both."""

from __future__ import annotations

from dataclasses import dataclass

from unmask.decide.grammar.alphabet import Alphabet as Alphabet
from unmask.decide.grammar.automaton import Automaton
from unmask.errors import InvalidRequest


@dataclass(frozen=True, eq=False)
class Rule:
    """Allows the texts that the automaton accepts, of `least` to `most` tokens."""

    automaton: Automaton | None = None  # None accepts any text
    least: int = 0
    most: int | None = None
    structure: bool = False  # programs read the text, so only EOS tokens follow it

    def intersection(self, other: Rule) -> Rule:
        """The rule that allows what both allow."""
        automata = [rule.automaton for rule in (self, other) if rule.automaton is not None]
        most = min((rule.most for rule in (self, other) if rule.most is not None), default=None)
        least = max(self.least, other.least)
        if most is not None and most < least:
            raise InvalidRequest(f"no text has at least {least} and at most {most} tokens")
        both = automata[0].intersection(automata[1]) if len(automata) == 2 else next(iter(automata), None)
        return Rule(both, least, most, self.structure or other.structure)
