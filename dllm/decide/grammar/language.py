"""A character automaton lifted to tokens: transitions of sets of states, and the tokens that lead between two sets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.canvas import Bools, Ints
from unmask.decide.grammar.alphabet import Alphabet
from unmask.decide.grammar.automaton import Automaton
from unmask.errors import InvalidRequest

MOST_TABLE = 30_000_000  # entries of the table [token classes, states]
MASKS = 256  # cached masks over the vocabulary
OPEN, OPEN_NO_END = -1, -2  # the symbol of an open cell: any token, or any token but EOS


class Language:
    """A regular language over a model's tokens. After the first EOS token, which ends the text, any token may follow,
    or only EOS tokens if the text is a `structure`. `skips` are tokens without text, which may stand anywhere.

    Sets of states are numbered: methods take and return the number of a set."""

    def __init__(
        self,
        automaton: Automaton,
        alphabet: Alphabet,
        never: Sequence[int] = (),
        ends: Sequence[int] = (),
        skips: Sequence[int] = (),
        structure: bool = False,
    ) -> None:
        kind, table = _token_classes(automaton, alphabet)
        states = len(automaton.final)
        # two more states: after the end of the text, and the dead state
        self.after_end, self.nowhere = states, states + 1
        steps = np.where(table < 0, self.nowhere, table)
        steps = np.hstack([steps, np.full((len(table), 2), self.nowhere, steps.dtype)])
        kind[[t for t in never if t < alphabet.words]] = 0
        end, more = len(steps), len(steps) + 1  # the classes of the first EOS token and of further ones
        first = np.append(np.where(automaton.final, self.after_end, self.nowhere), [self.after_end, self.nowhere])
        again = np.full(states + 2, self.nowhere)
        no_text = np.arange(states + 2)
        self.steps = np.vstack([steps, first, again, no_text]).astype(np.int32)  # [kinds, states]
        self.steps[end if structure else 1 :, self.after_end] = self.after_end
        self.ends = [t for t in ends if t < alphabet.words and t not in never]
        kind[self.ends] = end
        kind[[t for t in skips if t < alphabet.words and t not in never and t not in ends]] = more + 1
        self.kind, self.end, self.more = kind, end, more
        self.final: Bools = np.append(automaton.final, [True, False])
        used: Ints = np.unique(kind[kind > 0]).astype(np.int64)
        self.edges = {OPEN: self._edges(used), OPEN_NO_END: self._edges(np.append(used[used != end], more))}
        self._fresh, self._sets = count(), dict[int, Any]()
        self._ids: dict[bytes, int] = {}
        self._advance: dict[tuple[int, int], int] = {}
        self._backward: dict[tuple[int, int], int] = {}
        self._masks: dict[tuple[int, int, bool, bool], Bools] = {}
        # bytes of its tables
        self.size = self.steps.nbytes + sum(table.nbytes for edges in self.edges.values() for table in edges)
        start = np.zeros(states + 2, bool)
        start[0] = True
        self.start = self._id(start)

    def _edges(self, kinds: Ints) -> tuple[Ints, Ints, Bools]:
        """The transitions by any token of these classes: source states, target states, and both as a table."""
        table = np.zeros((self.nowhere + 1, self.nowhere + 1), bool)
        for row in self.steps[kinds]:
            table[np.arange(len(row)), row] = True
        table[:, self.nowhere] = False
        after, before = np.nonzero(table.T)
        return before, after, table

    def _id(self, states: Bools) -> int:
        key = states.tobytes()
        if key not in self._ids:
            fresh = next(self._fresh)
            self._sets[fresh] = states  # before its key: another run may read it from another thread
            self._ids.setdefault(key, fresh)
        return self._ids[key]

    def advance(self, states: int, symbol: int) -> int:
        """The states after a cell that holds `symbol`, from those before it."""
        key = (states, symbol)
        if key not in self._advance:
            now = self._sets[states]
            after: Bools = np.zeros_like(now)
            if symbol < 0:
                after = self.edges[symbol][2][now].any(0)
            else:
                after[self.steps[symbol][now]] = True
                after[self.nowhere] = False
            self._advance[key] = self._id(after)
        return self._advance[key]

    def backward(self, states: int, symbol: int) -> int:
        """The states before a cell that holds `symbol`, from those after it."""
        key = (states, symbol)
        if key not in self._backward:
            now = self._sets[states]
            before = now[self.steps[symbol]] if symbol >= 0 else self.edges[symbol][2][:, now].any(axis=1)
            self._backward[key] = self._id(np.asarray(before, bool))
        return self._backward[key]

    def mask(self, before: int, after: int, may_end: bool, as_text: bool = False) -> Bools:
        """A mask of the tokens that lead from a state of `before` to a state of `after`; `as_text`, only EOS tokens
        follow an EOS token that may still be written."""
        key = (before, after, may_end, as_text)
        mask = self._masks.get(key)
        if mask is None:
            states = self._sets[before]
            kinds = self._sets[after][self.steps[:, states]].any(axis=1)
            if as_text and states[: self.after_end].any():
                states = states.copy()
                states[self.after_end] = False
                text = self._sets[after][self.steps[:, states]].any(axis=1)
                text[[self.end, self.more]] = kinds[[self.end, self.more]]
                kinds = text
            kinds[0] = False
            if not may_end:
                kinds[self.end] = kinds[self.more]
            mask = kinds[self.kind]
            if len(self._masks) >= MASKS:
                self._masks.clear()
            self._masks[key] = mask
        return mask

    def meet(self, one: int, other: int) -> bool:
        """Whether two sets share a state."""
        return bool((self._sets[one] & self._sets[other]).any())

    def states(self, one: int) -> Bools:
        """A set as a mask over the states."""
        mask: Bools = self._sets[one]
        return mask

    def last(self, may_fill: bool) -> int:
        """The accepting states after the last cell; `may_fill`: the text may use every cell, without an EOS token."""
        final = self.final.copy()
        final[: self.after_end] &= may_fill
        return self._id(final)

    def shortest(self) -> int:
        """How many tokens the shortest text has."""
        states, words = self.start, 0
        while not (self._sets[states][: self.after_end] & self.final[: self.after_end]).any():
            states, words = self.advance(states, OPEN_NO_END), words + 1
            if words > len(self.final):
                raise InvalidRequest("no tokens of this model make a text that meets this constraint")
        return words


def _token_classes(automaton: Automaton, alphabet: Alphabet) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The class of each token, and the transitions of each class: tokens with the same transitions share a class.
    Class 0 has none."""
    states, letters = automaton.steps.shape
    # the last row is the dead state, which index -1 reads
    steps = np.vstack([automaton.steps, np.full((1, letters), -1)])
    nowhere, start = np.full(states, -1, np.int32), np.arange(states, dtype=np.int32)
    number = {nowhere.tobytes(): 0, start.tobytes(): 1}
    rows = [nowhere, start]
    kind = np.where(alphabet.lengths > 0, 1, 0).astype(np.int64)
    for place in range(alphabet.spelled.shape[1]):
        going = np.flatnonzero((alphabet.lengths > place) & (kind > 0))
        if not going.size:
            break
        pairs = kind[going] * letters + automaton.kinds[alphabet.spelled[going, place]]
        distinct, which = np.unique(pairs, return_inverse=True)
        after = np.empty(len(distinct), np.int64)
        for i, pair in enumerate(distinct.tolist()):
            row = steps[rows[pair // letters], pair % letters]
            key = row.tobytes()
            if key not in number:
                number[key] = len(rows)
                rows.append(row)
                if len(rows) * states > MOST_TABLE:
                    raise InvalidRequest("the constraint is too large for this model's vocabulary")
            after[i] = number[key]
        kind[going] = after[which]
    # drop classes that only beginnings of tokens have
    used, kind = np.unique(np.append([0], kind), return_inverse=True)
    return kind[1:].astype(np.int32), np.stack([rows[k] for k in used.tolist()])
