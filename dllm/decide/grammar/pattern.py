"""A regular expression becomes a nondeterministic automaton over an alphabet. `re` reads it, so it means what it does
there; what is not regular (look-around, back-references) is refused by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from re import _constants as ops  # type: ignore[attr-defined] # the standard library's own reader
from re import _parser as reader  # type: ignore[attr-defined]
from typing import Any

import numpy as np

from unmask.canvas import Bools
from unmask.decide.grammar.alphabet import Alphabet
from unmask.errors import InvalidRequest

IN_A_STRING = "in_a_json_string_"  # how a group is named that stands within quotes, so must not read a quote
MOST_NODES = 10_000
MOST_LETTERS = 100_000  # of a pattern
_WORDS = {
    ops.ASSERT: "look-ahead and look-behind",
    ops.ASSERT_NOT: "look-ahead and look-behind",
    ops.GROUPREF: "back-references",
    ops.GROUPREF_EXISTS: "conditions",
    ops.POSSESSIVE_REPEAT: "possessive repeats",
    ops.ATOMIC_GROUP: "atomic groups",
}


class Nodes:
    """States with silent steps and steps that read one letter of a set."""

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self.silent: list[list[int]] = []
        self.reading: list[tuple[int, int] | None] = []  # the set read, and where to
        self.sets: list[Bools] = []
        self._known: dict[bytes, int] = {}
        self.quoted: set[int] = set()  # groups that stand within quotes
        self._limit = np.ones(len(alphabet), bool)

    def node(self) -> int:
        if len(self.silent) >= MOST_NODES:
            raise InvalidRequest(f"the pattern is too large: written out, it has more than {MOST_NODES} places")
        self.silent.append([])
        self.reading.append(None)
        return len(self.silent) - 1

    def read(self, start: int, letters: Bools) -> int:
        """From a state, one letter of a set further on."""
        letters = letters & self._limit
        which = self._known.setdefault(letters.tobytes(), len(self.sets))
        if which == len(self.sets):
            self.sets.append(letters)
        inside, after = self.node(), self.node()
        self.silent[start].append(inside)
        self.reading[inside] = (which, after)
        return after

    @contextmanager
    def within(self, group: int | None) -> Iterator[None]:
        """Inside a group; where it stands within quotes, nothing is read that JSON would have to escape."""
        before = self._limit
        if group in self.quoted:
            codes = self.alphabet.letters
            self._limit = before & (codes >= 32) & (codes != ord('"')) & (codes != ord("\\"))
        yield
        self._limit = before


def nodes(pattern: str, alphabet: Alphabet) -> tuple[Nodes, int, int]:
    """The automaton of a pattern that is to match a whole text, its first state and its last."""
    if len(pattern) > MOST_LETTERS:
        raise InvalidRequest(f"the pattern is too long: it may have {MOST_LETTERS} letters")
    try:
        tree = reader.parse(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise InvalidRequest(f"the pattern cannot be read: {error}") from error
    if tree.state.flags & (re.IGNORECASE | re.MULTILINE):
        raise InvalidRequest("a pattern here has no flags but (?s) and (?x)")
    made = Nodes(alphabet)
    made.quoted = {n for name, n in tree.state.groupdict.items() if name.startswith(IN_A_STRING)}
    first = made.node()
    try:
        return made, first, _sequence(made, list(tree), first, bool(tree.state.flags & re.DOTALL))
    except RecursionError as error:
        raise InvalidRequest("the pattern is nested too deeply") from error


def _sequence(made: Nodes, items: list[Any], start: int, dotall: bool) -> int:
    for op, what in items:
        start = _item(made, op, what, start, dotall)
    return start


def _item(made: Nodes, op: Any, what: Any, start: int, dotall: bool) -> int:
    alphabet = made.alphabet
    if op is ops.LITERAL:
        return made.read(start, alphabet.between(what, what))
    if op is ops.NOT_LITERAL:
        return made.read(start, ~alphabet.between(what, what))
    if op is ops.ANY:
        return made.read(start, np.ones(len(alphabet), bool) if dotall else ~alphabet.between(10, 10))
    if op is ops.IN:
        return made.read(start, _set(alphabet, what))
    if op is ops.BRANCH:
        after = made.node()
        for option in what[1]:
            made.silent[_sequence(made, list(option), start, dotall)].append(after)
        return after
    if op is ops.SUBPATTERN:
        group, added, removed, items = what
        if added & re.IGNORECASE:
            raise InvalidRequest("a pattern here has no flags but (?s) and (?x)")
        dotall = bool((dotall or added & re.DOTALL) and not removed & re.DOTALL)
        with made.within(group):
            return _sequence(made, list(items), start, dotall)
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):  # greedy or lazy, the same texts match
        least, most, items = what
        return _repeat(made, least, most, items, start, dotall)
    if op is ops.AT and what in (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING, ops.AT_END, ops.AT_END_STRING):
        raise InvalidRequest("a pattern is for the whole text, so leave ^ and $ out")
    raise InvalidRequest(f"{_WORDS.get(op, str(op).lower())} cannot be used in a pattern here")


def _repeat(made: Nodes, least: int, most: Any, items: Any, start: int, dotall: bool) -> int:
    for _ in range(least):
        start = _sequence(made, list(items), start, dotall)
    if most is ops.MAXREPEAT:
        before, after = made.node(), made.node()
        made.silent[start].append(before)
        made.silent[before].append(after)
        made.silent[_sequence(made, list(items), before, dotall)].append(before)
        return after
    after = made.node()
    made.silent[start].append(after)
    for _ in range(most - least):
        start = _sequence(made, list(items), start, dotall)
        made.silent[start].append(after)
    return after


def _set(alphabet: Alphabet, items: Any) -> Bools:
    letters, turned = np.zeros(len(alphabet), bool), False
    for op, what in items:
        if op is ops.NEGATE:
            turned = True
        elif op is ops.LITERAL:
            letters |= alphabet.between(what, what)
        elif op is ops.RANGE:
            letters |= alphabet.between(*what)
        else:  # \d, \S and the like
            name = str(what).lower().removeprefix("category_")
            inside = alphabet.category(name.removeprefix("not_"))
            letters |= ~inside if name.startswith("not_") else inside
    return ~letters if turned else letters
