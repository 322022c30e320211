"""A constraint over a range of cells: which tokens each cell may hold, in any decoding order.

Exact for regular languages: a token is allowed in a cell if it leads from a state reachable by the cells before it to a
state from which the cells after it can reach an accepting state (DINGO, arXiv:2505.23061)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.canvas import Bools, Canvas, Floats, Ints
from unmask.decide.grammar.language import OPEN, OPEN_NO_END, Language


@dataclass(frozen=True, eq=False)
class Region:
    """A language for the cells from `begins` up to `ends`, and how many tokens the text may have."""

    language: Language
    begins: int
    ends: int
    may_end: bool  # whether the text may be followed by EOS tokens: only at the end of the canvas
    least: int = 0
    most: int = 1 << 30

    def symbols(self, canvas: Canvas) -> list[int]:
        """The symbol of each cell: the class of its token, or OPEN or OPEN_NO_END."""
        lang, cells = self.language, slice(self.begins, self.ends)
        open_ = np.where(self._end_here(), OPEN, OPEN_NO_END)
        kinds = lang.kind[np.maximum(canvas.tokens[cells], 0)]
        kinds = np.where((kinds == lang.end) & ~self._end_here(), lang.more, kinds)
        row: list[int] = np.where(canvas.open[cells], open_, kinds).tolist()
        return row

    def _end_here(self) -> Bools:
        """The cells in which the first EOS token may be."""
        place = np.arange(self.ends - self.begins)
        return self.may_end & (place >= self.least) & (place <= self.most)

    @property
    def last(self) -> int:
        """The accepting states after the last cell."""
        return self.language.last(self.least <= self.ends - self.begins <= self.most)

    def before(self, symbols: Sequence[int]) -> list[int]:
        """The states reachable before each cell, and after the last."""
        states = [self.language.start]
        for symbol in symbols:
            states.append(self.language.advance(states[-1], symbol))
        return states

    def after(self, symbols: Sequence[int]) -> list[int]:
        """The states from which the text can still be accepted: before the first cell, and after each."""
        states = [self.last]
        for symbol in reversed(symbols):
            states.append(self.language.backward(states[-1], symbol))
        return states[::-1]

    def possible(self, canvas: Canvas) -> bool:
        """Whether the open cells can be filled so that the text is accepted."""
        return self.language.meet(self.before(self.symbols(canvas))[-1], self.last)

    def live(self, canvas: Canvas) -> list[int]:
        """How many states are both reachable and can still be accepted: before each cell, and after the last."""
        symbols = self.symbols(canvas)
        both = zip(self.before(symbols), self.after(symbols), strict=True)
        return [int((self.language.states(b) & self.language.states(a)).sum()) for b, a in both]

    def chance(self, canvas: Canvas, shares: Callable[[int], Floats]) -> float:
        """The probability that the text is valid if every open cell is sampled independently; `shares(cell)` are the
        probabilities of its tokens, which sum to 1."""
        lang, end_here = self.language, self._end_here()
        now = lang.states(lang.start).astype(float)
        for place, symbol in enumerate(self.symbols(canvas)):
            weights = np.zeros(len(lang.steps))
            if symbol >= 0:
                weights[symbol] = 1
            else:
                weights += np.bincount(lang.kind, shares(self.begins + place), len(weights))
                if not end_here[place]:  # an EOS token that may not be the first here may still follow another
                    weights[[lang.end, lang.more]] = 0, weights[lang.end] + weights[lang.more]
            used = np.flatnonzero(weights)
            after = np.zeros(len(now))
            np.add.at(after, lang.steps[used], weights[used, None] * now)
            after[lang.nowhere] = 0
            now = after
        return float(now[lang.states(self.last)].sum())

    def allowed(self, canvas: Canvas, cells: Ints, reading: bool = False, as_text: bool = False) -> list[Bools]:
        """For each of these cells, a mask of the allowed tokens. `reading` from the left, a token is allowed whatever
        is written in the free cells after it; `as_text`, text is allowed only where no end has to come before it."""
        symbols = self.symbols(canvas)
        ahead = self.symbols(canvas.erase(canvas.free)) if reading else symbols
        before, after, may_end = self.before(symbols), self.after(ahead), self._end_here()
        places = (cells - self.begins).tolist()
        return [self.language.mask(before[p], after[p + 1], bool(may_end[p]), as_text) for p in places]

    def compatible_writes(self, canvas: Canvas, write: Bools, tokens: Ints, sure: Floats) -> Bools:
        """The subset of `write` with the greatest total confidence whose tokens can all be written: a Viterbi search
        over all cells. `canvas` is the canvas before the writes, with the cells to erase already open."""
        inside = write.copy()
        inside[: self.begins], inside[self.ends :] = False, False
        if not inside.any():
            return write
        present = self.symbols(canvas)
        wanted = self.symbols(canvas.write(inside, tokens))
        if self.language.meet(self.before(wanted)[-1], self.last):
            return write
        gains = np.where(inside, np.maximum(sure, 1e-6), 0)[self.begins : self.ends].tolist()
        scores = [np.where(self.language.states(self.language.start), 0.0, -np.inf)]
        for symbol, proposal, gain in zip(present, wanted, gains, strict=True):
            after = self._best(scores[-1], symbol)
            if gain:
                after = np.maximum(after, self._best(scores[-1], proposal) + gain)
            scores.append(after)
        state = int(np.where(self.language.states(self.last), scores[-1], -np.inf).argmax())
        kept = write.copy()
        for place in reversed(range(len(present))):
            score, gain = scores[place + 1][state], gains[place]
            for symbol, worth in [(wanted[place], gain), (present[place], 0.0)][0 if gain else 1 :]:
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
        """The states from which a cell with this symbol leads to `state`."""
        lang = self.language
        table = lang.edges[symbol][2][:, state] if symbol < 0 else lang.steps[symbol] == state
        sources: Ints = np.flatnonzero(table)
        return sources
