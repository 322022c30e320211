"""The exact distribution of a decoder's texts on a small canvas, by enumeration instead of sampling.

Each pass samples a token for every open cell independently; the policy then chooses which are written. All combinations
are enumerated, so the probabilities are exact for every policy that makes no random choices of its own.
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
from unmask.models.array_ops import astype, copy, softmax, to_numpy
from unmask.run.state import State
from unmask.run.step import step

MAX_COMBINATIONS = 300_000  # of tokens in one pass: a permutation of six has 46,656

Text = tuple[int, ...]


def outcomes(denoiser: Denoiser, state: State) -> dict[Text, float]:
    """The probability of each final text, decoding from this state to the end."""
    if state.done:
        return {tuple(state.canvas.tokens.tolist()): 1.0}
    found: dict[Text, float] = defaultdict(float)
    merged: dict[bytes, tuple[State, float]] = {}
    for share, belief in _combinations(denoiser, state):
        after, frame = step(state, belief)
        other, second = step(replace(state, settings=replace(state.settings, seed=state.settings.seed + 1)), belief)
        if not np.array_equal(frame.cells, second.cells) or not after.canvas.same(other.canvas):
            raise InvalidRequest(
                f"'{state.settings.policy}' makes random choices of its own, so its texts cannot be enumerated: "
                "choose another policy"
            )
        # combinations that differ only in cells that were not written lead to the same state
        key = after.canvas.tokens.tobytes() + after.canvas.open.tobytes() + repr((after.block, after.memory)).encode()
        merged[key] = (after, merged.get(key, (after, 0.0))[1] + share)
    for after, share in merged.values():
        for text, probability in outcomes(denoiser, after).items():
            found[text] += share * probability
    return dict(found)


def ceiling(denoiser: Denoiser, canvas: Canvas, passes: int, right: set[Text]) -> float:
    """The probability that the best schedule of `passes` passes ends in a right text, by dynamic programming.

    A schedule sees only what is written; it may choose any cells at each pass, and never revises."""
    known: dict[tuple[bytes, int], float] = {}

    def best(now: Canvas, left: int) -> float:
        if not now.open.any():
            return float(tuple(now.tokens.tolist()) in right)
        key = (now.tokens.tobytes() + now.open.tobytes(), left)
        if key not in known:
            cells = np.flatnonzero(now.open)
            table = _probabilities(denoiser, now)
            sizes = range(1, len(cells) + 1) if left > 1 else (len(cells),)
            known[key] = max(
                _value(now, cells[list(some)], table, left)
                for n in sizes
                for some in combinations(range(len(cells)), n)
            )
        return known[key]

    def _value(now: Canvas, cells: np.ndarray, table: Floats, left: int) -> float:
        total = 0.0
        for words in product(*(np.flatnonzero(table[cell]).tolist() for cell in cells)):
            probability = prod(float(table[cell, word]) for cell, word in zip(cells, words, strict=True))
            tokens = now.tokens.copy()
            tokens[cells] = words
            write = np.zeros(len(now), bool)
            write[cells] = True
            total += probability * best(now.write(write, tokens), left - 1)
        return total

    return best(canvas, passes)


def _probabilities(denoiser: Denoiser, canvas: Canvas) -> Floats:
    """Token probabilities [L, V]; 0 outside the open cells."""
    model_input = full_input(canvas)
    (logits,) = denoiser.logits([model_input])
    table = np.zeros((len(canvas), denoiser.card.words))
    table[model_input.rows] = to_numpy(softmax(astype(logits, "float64")))
    return table


def _combinations(denoiser: Denoiser, state: State) -> Iterator[tuple[float, Belief]]:
    """Every combination of sampled tokens: its probability, and the belief with those tokens as proposals."""
    (belief,) = infer(denoiser, [state])
    cells = np.flatnonzero(belief.known & state.canvas.open)
    if not state.temperature:
        yield 1.0, belief
        return
    model_input = replace(full_input(state.canvas), rows=cells)
    (logits,) = batched_logits(denoiser, [model_input])
    plain = apply_processors(model_processors(state, state.canvas, denoiser.card), logits, cells)
    shaped = to_numpy(softmax(apply_processors(sampling_processors(state), copy(plain), cells)))
    sure = shaped if state.settings.confidence == "shaped" else to_numpy(softmax(plain))
    words = [np.flatnonzero(row).tolist() for row in shaped]
    if prod(map(len, words)) > MAX_COMBINATIONS:
        raise InvalidRequest(
            f"{prod(map(len, words)):,} combinations of tokens in one pass are too many to enumerate; "
            f"at most {MAX_COMBINATIONS:,} are possible"
        )
    for draw in product(*words):
        token, confidence = belief.token.copy(), belief.confidence.copy()
        token[cells] = draw
        at = np.arange(len(cells))
        confidence[cells] = sure[at, list(draw)]
        yield float(prod(shaped[at, list(draw)])), replace(belief, token=token, confidence=confidence)
