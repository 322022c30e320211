"""A constraint over neighbouring cells: which words may stand in each, in any order of writing.

Exact for regular languages: a word is allowed in a cell if it leads from a state that the cells before can reach to one
from which the cells behind can still end (DINGO, arXiv:2505.23061)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.canvas import Bools, Canvas, Floats, Ints
from unmask.decide.grammar.language import OPEN, OPEN_NO_END, Language


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
            states.append(self.language.advance(states[-1], symbol))
        return states

    def after(self, symbols: Sequence[int]) -> list[int]:
        """The states from which the text can end: before the first cell, and after each."""
        states = [self.last]
        for symbol in reversed(symbols):
            states.append(self.language.backward(states[-1], symbol))
        return states[::-1]

    def possible(self, canvas: Canvas) -> bool:
        return self.language.meet(self.before(self.symbols(canvas))[-1], self.last)

    def live(self, canvas: Canvas) -> list[int]:
        """Before each cell and behind the last, how many states can both be reached and still end."""
        symbols = self.symbols(canvas)
        both = zip(self.before(symbols), self.after(symbols), strict=True)
        return [int((self.language.states(b) & self.language.states(a)).sum()) for b, a in both]

    def chance(self, canvas: Canvas, shares: Callable[[int], Floats]) -> float:
        """How likely the text is valid if every open cell is drawn by itself; `shares` of a cell's words sum to 1."""
        lang, end_here = self.language, self._end_here()
        now = lang.states(lang.start).astype(float)
        for place, symbol in enumerate(self.symbols(canvas)):
            weights = np.zeros(len(lang.steps))
            if symbol >= 0:
                weights[symbol] = 1
            else:
                weights += np.bincount(lang.kind, shares(self.begins + place), len(weights))
                if not end_here[place]:  # an end that may not begin here may still follow another
                    weights[[lang.end, lang.more]] = 0, weights[lang.end] + weights[lang.more]
            used = np.flatnonzero(weights)
            after = np.zeros(len(now))
            np.add.at(after, lang.steps[used], weights[used, None] * now)
            after[lang.nowhere] = 0
            now = after
        return float(now[lang.states(self.last)].sum())

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
