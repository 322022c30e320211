"""A constraint over the words of a model: which may stand in a cell, whatever is written first.

Exact for regular languages: a word is allowed in a cell if it leads from a state that the cells before can reach to one
from which the cells behind can still end (DINGO, arXiv:2505.23061)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dllm.canvas import Bools, Canvas, Floats, Ints, Refused
from dllm.decide.grammar.alphabet import Alphabet
from dllm.decide.grammar.automaton import Automaton

MOST_TABLE = 30_000_000  # entries of kinds of words by states
MASKS = 256  # kept
OPEN, OPEN_NO_END = -1, -2


class Language:
    """An automaton whose letters are a model's words. A text may be followed by ends of text and nothing else."""

    def __init__(
        self, automaton: Automaton, alphabet: Alphabet, never: Sequence[int] = (), ends: Sequence[int] = ()
    ) -> None:
        kind, table = _kinds_of_words(automaton, alphabet)
        states = len(automaton.final)
        # two more states: behind the end of the text, and nowhere
        self.behind, self.nowhere = states, states + 1
        steps = np.where(table < 0, self.nowhere, table)
        steps = np.hstack([steps, np.full((len(table), 2), self.nowhere, steps.dtype)])
        kind[[t for t in never if t < alphabet.words]] = 0
        end, more = len(steps), len(steps) + 1  # the first end of text, and further ones
        first = np.append(np.where(automaton.final, self.behind, self.nowhere), [self.behind, self.nowhere])
        again = np.full(states + 2, self.nowhere)
        again[self.behind] = self.behind
        self.steps = np.vstack([steps, first, again]).astype(np.int32)  # [kinds, states]
        self.ends = [t for t in ends if t < alphabet.words and t not in never]
        kind[self.ends] = end
        self.kind, self.end, self.more = kind, end, more
        self.final: Bools = np.append(automaton.final, [True, False])
        used: Ints = np.unique(kind[kind > 0]).astype(np.int64)
        self.edges = {OPEN: self._edges(used), OPEN_NO_END: self._edges(np.append(used[used != end], more))}
        self._fresh, self._sets = count(), dict[int, Any]()
        self._ids: dict[bytes, int] = {}
        self._onward: dict[tuple[int, int], int] = {}
        self._backward: dict[tuple[int, int], int] = {}
        self._masks: dict[tuple[int, int, bool], Bools] = {}
        start = np.zeros(states + 2, bool)
        start[0] = True
        self.start = self._id(start)

    def _edges(self, kinds: Ints) -> tuple[Ints, Ints, Bools]:
        """Where any of these words may lead: from, to, and as a table."""
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
            self._sets[fresh] = states  # first, since another run may think on another thread
            self._ids.setdefault(key, fresh)
        return self._ids[key]

    def onward(self, states: int, symbol: int) -> int:
        """The states after a cell, from those before it."""
        key = (states, symbol)
        if key not in self._onward:
            now = self._sets[states]
            after: Bools = np.zeros_like(now)
            if symbol < 0:
                after = self.edges[symbol][2][now].any(0)
            else:
                after[self.steps[symbol][now]] = True
                after[self.nowhere] = False
            self._onward[key] = self._id(after)
        return self._onward[key]

    def backward(self, states: int, symbol: int) -> int:
        """The states before a cell, from those after it."""
        key = (states, symbol)
        if key not in self._backward:
            now = self._sets[states]
            before = now[self.steps[symbol]] if symbol >= 0 else self.edges[symbol][2][:, now].any(axis=1)
            self._backward[key] = self._id(np.asarray(before, bool))
        return self._backward[key]

    def mask(self, before: int, after: int, may_end: bool) -> Bools:
        """The words that lead from one of these states to one of those."""
        key = (before, after, may_end)
        mask = self._masks.get(key)
        if mask is None:
            kinds = self._sets[after][self.steps[:, self._sets[before]]].any(axis=1)
            kinds[0] = False
            if not may_end:
                kinds[self.end] = kinds[self.more]
            mask = kinds[self.kind]
            if len(self._masks) >= MASKS:
                self._masks.clear()
            self._masks[key] = mask
        return mask

    def meet(self, one: int, other: int) -> bool:
        return bool((self._sets[one] & self._sets[other]).any())

    def states(self, one: int) -> Bools:
        found: Bools = self._sets[one]
        return found

    def last(self, may_fill: bool) -> int:
        """The states in which the last cell may leave the text; `may_fill` where it may be full of words."""
        final = self.final.copy()
        final[: self.behind] &= may_fill
        return self._id(final)

    def shortest(self) -> int:
        """How many words the shortest text takes."""
        states, words = self.start, 0
        while not (self._sets[states][: self.behind] & self.final[: self.behind]).any():
            states, words = self.onward(states, OPEN_NO_END), words + 1
            if words > len(self.final):
                raise Refused("no words of this model make a text that meets this constraint")
        return words


def _kinds_of_words(automaton: Automaton, alphabet: Alphabet) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Words that lead from every state to the same one are of one kind. Kind 0 leads nowhere."""
    states, letters = automaton.steps.shape
    steps = np.vstack([automaton.steps, np.full((1, letters), -1)])  # from nowhere, -1, to nowhere
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
                    raise Refused("the constraint is too large for this model's vocabulary")
            after[i] = number[key]
        kind[going] = after[which]
    # kinds that only parts of words have are dropped
    used, kind = np.unique(np.append([0], kind), return_inverse=True)
    return kind[1:].astype(np.int32), np.stack([rows[k] for k in used.tolist()])


@dataclass(frozen=True, eq=False)
class Region:
    """A language for some neighbouring cells, and how many words the text may have."""

    language: Language
    begins: int
    ends: int
    may_end: bool  # whether ends of text may follow: only where nothing given stands behind
    least: int = 0
    most: int = 1 << 30

    def symbols(self, canvas: Canvas) -> list[int]:
        """What each cell reads: a kind of word, or any."""
        lang, cells = self.language, slice(self.begins, self.ends)
        open_ = np.where(self._end_here(), OPEN, OPEN_NO_END)
        kinds = lang.kind[np.maximum(canvas.tokens[cells], 0)]
        kinds = np.where((kinds == lang.end) & ~self._end_here(), lang.more, kinds)
        row: list[int] = np.where(canvas.open[cells], open_, kinds).tolist()
        return row

    def _end_here(self) -> Bools:
        place = np.arange(self.ends - self.begins)
        return self.may_end & (place >= self.least) & (place <= self.most)

    @property
    def last(self) -> int:
        return self.language.last(self.least <= self.ends - self.begins <= self.most)

    def before(self, symbols: Sequence[int]) -> list[int]:
        """The states that can be reached before each cell, and behind the last."""
        states = [self.language.start]
        for symbol in symbols:
            states.append(self.language.onward(states[-1], symbol))
        return states

    def after(self, symbols: Sequence[int]) -> list[int]:
        """The states from which the text can end: before the first cell, and after each."""
        states = [self.last]
        for symbol in reversed(symbols):
            states.append(self.language.backward(states[-1], symbol))
        return states[::-1]

    def possible(self, canvas: Canvas) -> bool:
        return self.language.meet(self.before(self.symbols(canvas))[-1], self.last)

    def allowed(self, canvas: Canvas, cells: Ints) -> list[Bools]:
        """For each of these cells, which words may stand there."""
        symbols = self.symbols(canvas)
        before, after, may_end = self.before(symbols), self.after(symbols), self._end_here()
        places = (cells - self.begins).tolist()
        return [self.language.mask(before[p], after[p + 1], bool(may_end[p])) for p in places]

    def narrow(self, canvas: Canvas, write: Bools, tokens: Ints, sure: Floats) -> Bools:
        """Of the cells to be written, the surest that are possible together: a Viterbi over all cells, where what is
        not written may still be any word. `canvas` is as it stands, with what is to be erased open."""
        inside = write.copy()
        inside[: self.begins], inside[self.ends :] = False, False
        if not inside.any():
            return write
        stands = self.symbols(canvas)
        wanted = self.symbols(canvas.write(inside, tokens))
        if self.language.meet(self.before(wanted)[-1], self.last):
            return write
        gains = np.where(inside, np.maximum(sure, 1e-6), 0)[self.begins : self.ends].tolist()
        scores = [np.where(self.language.states(self.language.start), 0.0, -np.inf)]
        for stand, want, gain in zip(stands, wanted, gains, strict=True):
            after = self._best(scores[-1], stand)
            if gain:
                after = np.maximum(after, self._best(scores[-1], want) + gain)
            scores.append(after)
        state = int(np.where(self.language.states(self.last), scores[-1], -np.inf).argmax())
        kept = write.copy()
        for place in reversed(range(len(stands))):
            score, gain = scores[place + 1][state], gains[place]
            for symbol, worth in [(wanted[place], gain), (stands[place], 0.0)][0 if gain else 1 :]:
                sources = self._sources(symbol, state)
                sources = sources[scores[place][sources] + worth == score]
                if sources.size:
                    state = int(sources[0])
                    kept[self.begins + place] &= bool(worth) or not inside[self.begins + place]
                    break
        return kept

    def _best(self, score: Floats, symbol: int) -> Floats:
        """The best score of each state after a cell."""
        lang, after = self.language, np.full(len(score), -np.inf)
        if symbol >= 0:
            np.maximum.at(after, lang.steps[symbol], score)
            after[lang.nowhere] = -np.inf
            return after
        sources, targets, _ = lang.edges[symbol]
        if len(targets):
            first = np.flatnonzero(np.diff(targets, prepend=-1))
            after[targets[first]] = np.maximum.reduceat(score[sources], first)
        return after

    def _sources(self, symbol: int, state: int) -> Ints:
        lang = self.language
        table = lang.edges[symbol][2][:, state] if symbol < 0 else lang.steps[symbol] == state
        sources: Ints = np.flatnonzero(table)
        return sources
