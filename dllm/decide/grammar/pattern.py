"""A regular expression as a nondeterministic finite automaton (NFA). It is parsed by `re`, so its syntax is that of
`re`; what is not regular (look-around, back-references) is an error that names it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from re import _constants as ops  # type: ignore[attr-defined] # the parser of the standard library
from re import _parser as reader  # type: ignore[attr-defined]
from typing import Any

import numpy as np

from unmask.canvas import Bools
from unmask.decide.grammar.alphabet import Alphabet
from unmask.errors import InvalidRequest

IN_A_STRING = "in_a_json_string_"  # name prefix of a group inside a JSON string: it must not match a bare quote
MOST_NODES = 10_000
MOST_LETTERS = 100_000  # characters of a pattern
_UNSUPPORTED = {
    ops.ASSERT: "look-ahead and look-behind",
    ops.ASSERT_NOT: "look-ahead and look-behind",
    ops.GROUPREF: "back-references",
    ops.GROUPREF_EXISTS: "conditions",
    ops.POSSESSIVE_REPEAT: "possessive repeats",
    ops.ATOMIC_GROUP: "atomic groups",
}


class NFA:
    """States with epsilon transitions and transitions that read one character of a set."""

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self.epsilon: list[list[int]] = []  # the targets of each state's epsilon transitions
        self.edges: list[tuple[int, int] | None] = []  # each state's index into `sets`, and its target
        self.sets: list[Bools] = []
        self._set_index: dict[bytes, int] = {}
        self.quoted: set[int] = set()  # groups inside a JSON string
        self._limit = np.ones(len(alphabet), bool)

    def node(self) -> int:
        """A new state."""
        if len(self.epsilon) >= MOST_NODES:
            raise InvalidRequest(f"the pattern is too large: written out, it has more than {MOST_NODES} places")
        self.epsilon.append([])
        self.edges.append(None)
        return len(self.epsilon) - 1

    def read(self, start: int, letters: Bools) -> int:
        """A new state that is reached from `start` by one character of a set."""
        letters = letters & self._limit
        which = self._set_index.setdefault(letters.tobytes(), len(self.sets))
        if which == len(self.sets):
            self.sets.append(letters)
        inside, after = self.node(), self.node()
        self.epsilon[start].append(inside)
        self.edges[inside] = (which, after)
        return after

    @contextmanager
    def within(self, group: int | None) -> Iterator[None]:
        """The context of a group; inside a JSON string, it excludes the characters that JSON escapes."""
        before = self._limit
        if group in self.quoted:
            codes = self.alphabet.letters
            self._limit = before & (codes >= 32) & (codes != ord('"')) & (codes != ord("\\"))
        yield
        self._limit = before


def parse_pattern(pattern: str, alphabet: Alphabet) -> tuple[NFA, int, int]:
    """The NFA of a pattern that must match a whole text, its start state and its accepting state."""
    if len(pattern) > MOST_LETTERS:
        raise InvalidRequest(f"the pattern is too long: it may have {MOST_LETTERS} characters")
    try:
        tree = reader.parse(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise InvalidRequest(f"the pattern cannot be read: {error}") from error
    if tree.state.flags & (re.IGNORECASE | re.MULTILINE):
        raise InvalidRequest("a pattern here has no flags but (?s) and (?x)")
    nfa = NFA(alphabet)
    nfa.quoted = {n for name, n in tree.state.groupdict.items() if name.startswith(IN_A_STRING)}
    first = nfa.node()
    try:
        return nfa, first, _sequence(nfa, list(tree), first, bool(tree.state.flags & re.DOTALL))
    except RecursionError as error:
        raise InvalidRequest("the pattern is nested too deeply") from error


def _sequence(nfa: NFA, items: list[Any], start: int, dotall: bool) -> int:
    for op, what in items:
        start = _item(nfa, op, what, start, dotall)
    return start


def _item(nfa: NFA, op: Any, what: Any, start: int, dotall: bool) -> int:
    alphabet = nfa.alphabet
    if op is ops.LITERAL:
        return nfa.read(start, alphabet.between(what, what))
    if op is ops.NOT_LITERAL:
        return nfa.read(start, ~alphabet.between(what, what))
    if op is ops.ANY:
        return nfa.read(start, np.ones(len(alphabet), bool) if dotall else ~alphabet.between(10, 10))
    if op is ops.IN:
        return nfa.read(start, _set(alphabet, what))
    if op is ops.BRANCH:
        after = nfa.node()
        for option in what[1]:
            nfa.epsilon[_sequence(nfa, list(option), start, dotall)].append(after)
        return after
    if op is ops.SUBPATTERN:
        group, added, removed, items = what
        if added & re.IGNORECASE:
            raise InvalidRequest("a pattern here has no flags but (?s) and (?x)")
        dotall = bool((dotall or added & re.DOTALL) and not removed & re.DOTALL)
        with nfa.within(group):
            return _sequence(nfa, list(items), start, dotall)
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):  # greedy or lazy, the same texts match
        least, most, items = what
        return _repeat(nfa, least, most, items, start, dotall)
    if op is ops.AT and what in (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING, ops.AT_END, ops.AT_END_STRING):
        raise InvalidRequest("a pattern is for the whole text, so leave ^ and $ out")
    raise InvalidRequest(f"{_UNSUPPORTED.get(op, str(op).lower())} cannot be used in a pattern here")


def _repeat(nfa: NFA, least: int, most: Any, items: Any, start: int, dotall: bool) -> int:
    for _ in range(least):
        start = _sequence(nfa, list(items), start, dotall)
    if most is ops.MAXREPEAT:
        before, after = nfa.node(), nfa.node()
        nfa.epsilon[start].append(before)
        nfa.epsilon[before].append(after)
        nfa.epsilon[_sequence(nfa, list(items), before, dotall)].append(before)
        return after
    after = nfa.node()
    nfa.epsilon[start].append(after)
    for _ in range(most - least):
        start = _sequence(nfa, list(items), start, dotall)
        nfa.epsilon[start].append(after)
    return after


def _set(alphabet: Alphabet, items: Any) -> Bools:
    letters, negated = np.zeros(len(alphabet), bool), False
    for op, what in items:
        if op is ops.NEGATE:
            negated = True
        elif op is ops.LITERAL:
            letters |= alphabet.between(what, what)
        elif op is ops.RANGE:
            letters |= alphabet.between(*what)
        else:  # \d, \S and the like
            name = str(what).lower().removeprefix("category_")
            inside = alphabet.category(name.removeprefix("not_"))
            letters |= ~inside if name.startswith("not_") else inside
    return ~letters if negated else letters
