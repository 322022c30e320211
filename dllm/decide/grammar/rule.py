"""What one constraint asks of a text: an automaton, a number of tokens, or both."""

from __future__ import annotations

from dataclasses import dataclass

from unmask.decide.grammar.alphabet import Alphabet as Alphabet
from unmask.decide.grammar.automaton import Automaton
from unmask.errors import InvalidRequest


@dataclass(frozen=True, eq=False)
class Rule:
    """A text that the automaton reads, of at least and at most so many tokens."""

    automaton: Automaton | None = None  # None reads anything
    least: int = 0
    most: int | None = None

    def both(self, other: Rule) -> Rule:
        """What both ask."""
        automata = [rule.automaton for rule in (self, other) if rule.automaton is not None]
        most = min((rule.most for rule in (self, other) if rule.most is not None), default=None)
        least = max(self.least, other.least)
        if most is not None and most < least:
            raise InvalidRequest(f"no text has at least {least} and at most {most} tokens")
        return Rule(automata[0].both(automata[1]) if len(automata) == 2 else next(iter(automata), None), least, most)
