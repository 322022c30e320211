"""Deterministic automata over letters, no larger than a bound: what would be larger is refused."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.canvas import Bools, Ints
from unmask.decide.grammar.alphabet import Alphabet
from unmask.decide.grammar.budget import spend
from unmask.decide.grammar.pattern import nodes
from unmask.errors import InvalidRequest

MOST_STATES = 2000


@dataclass(frozen=True, eq=False)
class Automaton:
    """States and where each kind of letter leads; state 0 is the first, and -1 leads nowhere."""

    kinds: NDArray[np.int32]  # [letters] what kind each letter is: letters of one kind lead to the same states
    steps: NDArray[np.int32]  # [states, kinds]
    final: Bools  # [states] where a text may end

    def complement(self) -> Automaton:
        """Exactly the other texts."""
        states, kinds = self.steps.shape
        steps = np.where(self.steps < 0, states, self.steps)
        return _trimmed(self.kinds, np.vstack([steps, np.full((1, kinds), states)]), np.append(~self.final, True))

    def either(self, other: Automaton) -> Automaton:
        """The texts that one of them allows."""
        return self._paired(other, lambda one, two: one or two)

    def both(self, other: Automaton) -> Automaton:
        """The texts that both allow."""
        return self._paired(other, lambda one, two: one and two)

    def _paired(self, other: Automaton, allows: Callable[[bool, bool], bool]) -> Automaton:
        """Both read the same text; where one can go no further, the other may still."""
        width = int(other.kinds.max(initial=0)) + 1
        pairs, kinds = np.unique(self.kinds.astype(np.int64) * width + other.kinds, return_inverse=True)
        # a row for having gone nowhere, which -1 reads
        mine = np.vstack([self.steps[:, pairs // width], np.full((1, len(pairs)), -1)])
        theirs = np.vstack([other.steps[:, pairs % width], np.full((1, len(pairs)), -1)])
        alone = (allows(True, False), allows(False, True))  # whether one goes on without the other

        def advance(state: Any) -> list[Any]:
            a, b = mine[state[0]], theirs[state[1]]
            return [
                (x, y) if (x >= 0 or alone[1]) and (y >= 0 or alone[0]) and (x >= 0 or y >= 0) else None
                for x, y in zip(a.tolist(), b.tolist(), strict=True)
            ]

        steps, names = _explored((0, 0), advance, len(pairs))
        ends, others = np.append(self.final, False), np.append(other.final, False)
        final = np.array([allows(bool(ends[a]), bool(others[b])) for a, b in names], bool)
        return _trimmed(kinds.astype(np.int32), steps, final)


def automaton(pattern: str, alphabet: Alphabet) -> Automaton:
    """The automaton of a regular expression, by the subset construction."""
    made, first, last = nodes(pattern, alphabet)
    reach = _closures(made.silent, [first, *(reading[1] for reading in made.reading if reading is not None)])
    # letters that no set of the pattern tells apart are of one kind
    table = np.stack([*made.sets, np.ones(len(alphabet), bool)])
    columns, kinds = np.unique(table, axis=1, return_inverse=True)
    of_set = [np.flatnonzero(row).tolist() for row in columns]
    moves: dict[int, tuple[list[int], int]] = {}
    for state, reading in enumerate(made.reading):
        if reading is not None:
            moves[state] = (of_set[reading[0]], reach[reading[1]])
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

    steps, names = _explored(reach[first], advance, count)
    final = np.array([bool(states & end) for states in names], bool)
    return _trimmed(kinds.ravel().astype(np.int32), steps, final)


def _closures(silent: list[list[int]], wanted: list[int]) -> dict[int, int]:
    """For each of these states, as the bits of a number, all that are reached from it without reading."""
    reach = {}
    for state in wanted:
        seen, waiting = {state}, [state]
        while waiting:
            after = [a for a in silent[waiting.pop()] if a not in seen]
            seen.update(after)
            waiting += after
        spend(len(seen))
        bits = bytearray(len(silent) // 8 + 1)
        for each in seen:
            bits[each >> 3] |= 1 << (each & 7)
        reach[state] = int.from_bytes(bits, "little")
    return reach


def _explored(first: Hashable, advance: Callable[[Any], list[Any]], kinds: int) -> tuple[NDArray[np.int32], list[Any]]:
    """All states that can be reached, numbered as they are found."""
    number, names, rows = {first: 0}, [first], []
    for state in names:  # grows while it is read
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


def _trimmed(kinds: NDArray[np.int32], steps: NDArray[np.int32], final: Bools) -> Automaton:
    """Without the states from which no end is reached."""
    alive, before = final.copy(), -1
    padded = np.append(alive, False)  # -1 reads the last
    while before != (before := int(alive.sum())):
        alive = alive | padded[steps].any(1)
        padded = np.append(alive, False)
    if not alive.any() or not alive[0]:
        raise InvalidRequest("no text at all meets this constraint")
    number: Ints = np.append(np.where(alive, np.cumsum(alive) - 1, -1), -1)
    return Automaton(kinds, number[steps[alive]].astype(np.int32), final[alive])
