"""Deterministic finite automata (DFA) over characters, of at most MOST_STATES states."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.canvas import Bools, Ints
from unmask.decide.grammar.alphabet import Alphabet
from unmask.decide.grammar.budget import spend
from unmask.decide.grammar.pattern import parse_pattern
from unmask.errors import InvalidRequest

MOST_STATES = 2000


@dataclass(frozen=True, eq=False)
class Automaton:
    """A DFA: the next state for each state and class of characters. State 0 is the start; -1 is no transition."""

    kinds: NDArray[np.int32]  # [letters] the class of each character; characters of one class have the same transitions
    steps: NDArray[np.int32]  # [states, kinds] the next state
    final: Bools  # [states] accepting states

    def complement(self) -> Automaton:
        """The automaton of exactly the other texts."""
        states, kinds = self.steps.shape
        steps = np.where(self.steps < 0, states, self.steps)
        return _trim(self.kinds, np.vstack([steps, np.full((1, kinds), states)]), np.append(~self.final, True))

    def union(self, other: Automaton) -> Automaton:
        """The automaton of the texts that either accepts."""
        return self._product(other, lambda one, two: one or two)

    def intersection(self, other: Automaton) -> Automaton:
        """The automaton of the texts that both accept."""
        return self._product(other, lambda one, two: one and two)

    def _product(self, other: Automaton, allows: Callable[[bool, bool], bool]) -> Automaton:
        """The product construction: both read the same text, and `allows` combines whether each accepts."""
        width = int(other.kinds.max(initial=0)) + 1
        pairs, kinds = np.unique(self.kinds.astype(np.int64) * width + other.kinds, return_inverse=True)
        # the last row is the dead state, which index -1 reads
        mine = np.vstack([self.steps[:, pairs // width], np.full((1, len(pairs)), -1)])
        theirs = np.vstack([other.steps[:, pairs % width], np.full((1, len(pairs)), -1)])
        alone = (allows(True, False), allows(False, True))  # whether one may continue after the other has failed

        def advance(state: Any) -> list[Any]:
            a, b = mine[state[0]], theirs[state[1]]
            return [
                (x, y) if (x >= 0 or alone[1]) and (y >= 0 or alone[0]) and (x >= 0 or y >= 0) else None
                for x, y in zip(a.tolist(), b.tolist(), strict=True)
            ]

        steps, names = _explore((0, 0), advance, len(pairs))
        ends, others = np.append(self.final, False), np.append(other.final, False)
        final = np.array([allows(bool(ends[a]), bool(others[b])) for a, b in names], bool)
        return _trim(kinds.astype(np.int32), steps, final)


def automaton(pattern: str, alphabet: Alphabet) -> Automaton:
    """The automaton of a regular expression, by the subset construction."""
    nfa, first, last = parse_pattern(pattern, alphabet)
    reach = _closures(nfa.epsilon, [first, *(edge[1] for edge in nfa.edges if edge is not None)])
    # characters that are in the same sets of the pattern form one class
    table = np.stack([*nfa.sets, np.ones(len(alphabet), bool)])
    columns, kinds = np.unique(table, axis=1, return_inverse=True)
    of_set = [np.flatnonzero(row).tolist() for row in columns]
    moves: dict[int, tuple[list[int], int]] = {}
    for state, edge in enumerate(nfa.edges):
        if edge is not None:
            moves[state] = (of_set[edge[0]], reach[edge[1]])
    readers = sum(1 << state for state in moves)
    end, count = 1 << last, columns.shape[1]

    def advance(states: Any) -> list[Any]:
        after: list[Any] = [0] * count
        left = states & readers
        while left:
            low = left & -left
            left ^= low
            letters, where = moves[low.bit_length() - 1]
            spend(len(letters) + 1)
            for letter in letters:
                after[letter] |= where
        return [a or None for a in after]

    steps, names = _explore(reach[first], advance, count)
    final = np.array([bool(states & end) for states in names], bool)
    return _trim(kinds.ravel().astype(np.int32), steps, final)


def _closures(epsilon: list[list[int]], wanted: list[int]) -> dict[int, int]:
    """The epsilon closure of each of these states, as the bits of an integer."""
    reach = {}
    for state in wanted:
        seen, waiting = {state}, [state]
        while waiting:
            after = [a for a in epsilon[waiting.pop()] if a not in seen]
            seen.update(after)
            waiting += after
        spend(len(seen))
        bits = bytearray(len(epsilon) // 8 + 1)
        for each in seen:
            bits[each >> 3] |= 1 << (each & 7)
        reach[state] = int.from_bytes(bits, "little")
    return reach


def _explore(first: Hashable, advance: Callable[[Any], list[Any]], kinds: int) -> tuple[NDArray[np.int32], list[Any]]:
    """The transition table of all reachable states, numbered in order of discovery, and the states themselves."""
    number, names, rows = {first: 0}, [first], []
    for state in names:  # grows during the loop
        row = []
        spend(kinds)
        for after in advance(state):
            if after is not None and after not in number:
                if len(names) >= MOST_STATES:
                    raise InvalidRequest(f"the constraint is too large: it needs more than {MOST_STATES} states")
                number[after] = len(names)
                names.append(after)
            row.append(-1 if after is None else number[after])
        rows.append(row)
    return np.array(rows, np.int32).reshape(len(names), kinds), names


def _trim(kinds: NDArray[np.int32], steps: NDArray[np.int32], final: Bools) -> Automaton:
    """An automaton without the states from which no accepting state is reachable."""
    alive, before = final.copy(), -1
    padded = np.append(alive, False)  # index -1 reads the last entry
    while before != (before := int(alive.sum())):
        alive = alive | padded[steps].any(1)
        padded = np.append(alive, False)
    if not alive.any() or not alive[0]:
        raise InvalidRequest("no text at all meets this constraint")
    number: Ints = np.append(np.where(alive, np.cumsum(alive) - 1, -1), -1)
    return Automaton(kinds, number[steps[alive]].astype(np.int32), final[alive])
