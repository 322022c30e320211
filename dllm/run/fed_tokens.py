"""What each pass of a run computed: forwards, tokens fed to the network, and tokens whose keys and values it read.

It is counted from the states and frames of the run, for one user. Keys and values are reused only where the model's own
adapter reuses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from unmask.canvas import NOTHING, Card, Ints
from unmask.decide import get_policy
from unmask.run.frame import Frame
from unmask.run.state import State

NONE: Ints = np.empty(0, np.int64)


@dataclass(frozen=True)
class Work:
    """What one pass computed."""

    forwards: int
    tokens: int  # fed to the network in each forward
    cached: int  # tokens whose keys and values are read instead
    by_reader: bool = False  # by a second network, which reads the text from left to right


def work_of_passes(card: Card, passes: Iterable[tuple[State, Frame]]) -> Iterator[Work]:
    """What each pass computed; a pass is the state before it and its frame."""
    known = NONE  # the text whose keys and values are cached
    for whole, frame in passes:
        state = whole.inferred
        n = min(state.visible_cells, len(state.canvas))
        tokens, opened = state.canvas.tokens[:n], state.canvas.open[:n]
        needs = get_policy(state.settings.policy).needs
        if frame.stale.size:  # an approximate cache: cells of age 0 were computed in this pass
            computed = int(np.count_nonzero(frame.stale == 0))
            yield Work(frame.cost, computed, len(frame.stale) - computed)
            continue
        verified = NONE
        if state.is_aside:
            verified = NONE if state.verified is None else np.flatnonzero(state.verified)
        elif needs.verify:
            verified = _verified(state, frame)
        begins, ends = replace(state, block=frame.block).bounds
        if verified.size and not card.blockwise:
            # the reader has no KV cache: it reads all text up to the last cell that it scores
            yield Work(frame.cost, int(verified.max()) + 1, 0, by_reader=True)
            continue
        if not (card.causal or card.blockwise):
            shadows = int(np.count_nonzero((~state.canvas.open & state.canvas.free)[begins:ends]))
            yield Work(frame.cost, n + shadows if needs.shadow else n, 0)
            continue
        first = int(opened.argmax()) if opened.any() else n
        if verified.size:
            text = int(verified.max())  # the row before a token predicts it
            extra = _next_draft(state, needs.ahead, verified)
        elif card.causal:
            text, extra = first, 0
        elif needs.ahead:
            text = max(first - 1, 0)
            extra = 1 + _drafted(state, needs.ahead, first, min(ends, n))
        else:
            text = min(begins, first)
            extra = min(ends, n) - text
        reused = _shared(known, tokens[:text])
        yield Work(frame.cost, max(text - reused + extra, 1), reused)
        if frame.cost:
            known = tokens[:text].copy()


def _verified(state: State, frame: Frame) -> Ints:
    """The cells that a pass verified: it predicted cells that were written, and no open one."""
    predicted = frame.guess != NOTHING
    return NONE if (predicted & state.canvas.open).any() else np.flatnonzero(predicted)


def _shared(one: Ints, other: Ints) -> int:
    """The length of the common prefix of two texts."""
    n = min(len(one), len(other))
    differ = np.flatnonzero(one[:n] != other[:n])
    return int(differ[0]) if differ.size else n


def _draft_length(state: State, knob: str) -> int:
    return int(get_policy(state.settings.policy).options(state.settings.options)[knob])


def _drafted(state: State, knob: str, first: int, ends: int) -> int:
    """Cells of a new draft."""
    return min(_draft_length(state, knob), int(np.count_nonzero(state.canvas.open[first:ends])))


def _next_draft(state: State, knob: str, verified: Ints) -> int:
    """Cells of the draft that a verification makes along with it; none where the policy does not draft ahead."""
    if not knob:
        return 0
    after = len(state.canvas) - int(verified.min()) - 1
    return min(_draft_length(state, knob), after) + 1 if after else 0
