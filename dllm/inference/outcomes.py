"""Everything a decoder can write, and how likely each is: worked out in full for small canvases, not sampled.

Each pass draws a word for every open cell, independently, from what is believed there; the policy then says which are
written. All draws are gone through, so the shares are exact for every policy that draws no luck of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from math import prod

import numpy as np

from unmask.belief import Belief
from unmask.canvas import Canvas, Floats
from unmask.errors import InvalidRequest
from unmask.inference import infer
from unmask.inference.processors import apply_processors, model_processors, sampling_processors
from unmask.inference.query import batched_logits
from unmask.models import Denoiser, full_input
from unmask.run.state import State
from unmask.run.step import step

MOST = 300_000  # draws of one pass: a permutation of six has 46,656

Text = tuple[int, ...]


def outcomes(denoiser: Denoiser, state: State) -> dict[Text, float]:
    """How likely each text is, from this state to the end."""
    if state.done:
        return {tuple(state.canvas.tokens.tolist()): 1.0}
    found: dict[Text, float] = defaultdict(float)
    causal: dict[bytes, tuple[State, float]] = {}
    for share, belief in _draws(denoiser, state):
        after, frame = step(state, belief)
        other, second = step(replace(state, settings=replace(state.settings, seed=state.settings.seed + 1)), belief)
        if not np.array_equal(frame.cells, second.cells) or not after.canvas.same(other.canvas):
            raise InvalidRequest(
                f"'{state.settings.policy}' draws luck of its own: its texts can be sampled, not counted"
            )
        # draws that differ in cells which were not written lead to one state
        key = after.canvas.tokens.tobytes() + after.canvas.open.tobytes() + repr((after.block, after.memory)).encode()
        causal[key] = (after, causal.get(key, (after, 0.0))[1] + share)
    for after, share in causal.values():
        for text, chance in outcomes(denoiser, after).items():
            found[text] += share * chance
    return dict(found)


def ceiling(denoiser: Denoiser, canvas: Canvas, passes: int, right: set[Text]) -> float:
    """How likely the best schedule of so many passes ends in a right text: by dynamic programming over all schedules.

    The best knows nothing but what is written; it may choose any cells at each pass, and never revises."""
    known: dict[tuple[bytes, int], float] = {}

    def best(now: Canvas, left: int) -> float:
        if not now.open.any():
            return float(tuple(now.tokens.tolist()) in right)
        key = (now.tokens.tobytes() + now.open.tobytes(), left)
        if key not in known:
            cells = np.flatnonzero(now.open)
            table = _probabilities(denoiser, now)
            sizes = range(1, len(cells) + 1) if left > 1 else (len(cells),)
            known[key] = max(_worth(now, cells[list(some)], table, left) for n in sizes for some in _some(cells, n))
        return known[key]

    def _worth(now: Canvas, cells: np.ndarray, table: Floats, left: int) -> float:
        total = 0.0
        for words in product(*(np.flatnonzero(table[cell]).tolist() for cell in cells)):
            chance = prod(float(table[cell, word]) for cell, word in zip(cells, words, strict=True))
            tokens = now.tokens.copy()
            tokens[cells] = words
            write = np.zeros(len(now), bool)
            write[cells] = True
            total += chance * best(now.write(write, tokens), left - 1)
        return total

    return best(canvas, passes)


def _some(cells: np.ndarray, count: int) -> Iterator[tuple[int, ...]]:
    return combinations(range(len(cells)), count)


def _probabilities(denoiser: Denoiser, canvas: Canvas) -> Floats:
    """[L, V], for open cells."""
    model_input = full_input(canvas)
    (logits,) = denoiser.logits([model_input])
    table = np.zeros((len(canvas), denoiser.card.words))
    table[model_input.rows] = logits.double().softmax(-1).numpy()
    return table


def _draws(denoiser: Denoiser, state: State) -> Iterator[tuple[float, Belief]]:
    """Each draw of words for the cells that are thought about, how likely it is, and the belief that it makes."""
    (belief,) = infer(denoiser, [state])
    cells = np.flatnonzero(belief.known & state.canvas.open)
    if not state.temperature:
        yield 1.0, belief
        return
    model_input = replace(full_input(state.canvas), rows=cells)
    (logits,) = batched_logits(denoiser, [model_input])
    plain = apply_processors(model_processors(state, state.canvas, denoiser.card), logits, cells)
    shaped = apply_processors(sampling_processors(state), plain.clone(), cells).softmax(-1).numpy()
    sure = shaped if state.settings.confidence == "shaped" else plain.softmax(-1).numpy()
    words = [np.flatnonzero(row).tolist() for row in shaped]
    if prod(map(len, words)) > MOST:
        raise InvalidRequest(
            f"{prod(map(len, words)):,} draws in one pass are too many to go through: at most {MOST:,}"
        )
    for draw in product(*words):
        token, confidence = belief.token.copy(), belief.confidence.copy()
        token[cells] = draw
        at = np.arange(len(cells))
        confidence[cells] = sure[at, list(draw)]
        yield float(prod(shaped[at, list(draw)])), replace(belief, token=token, confidence=confidence)
