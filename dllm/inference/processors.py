"""Logit processors: each changes the logits in one way, and its key holds everything that the change depends on.

Cached distributions are looked up by these keys, so a new processor cannot reuse a stale one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import log
from typing import Any

import numpy as np

from unmask.canvas import Canvas, Card, Ints
from unmask.decide.constraint import CompiledConstraint
from unmask.inference.rule_reading import ends_freely, reads_rule
from unmask.models import Table
from unmask.models.array_ops import (
    astype,
    fill,
    floor_at,
    is_numpy,
    like,
    lowest,
    on_host,
    row_max,
    softmax,
    where,
)
from unmask.run.free_length import may_expand
from unmask.run.state import State

FLOOR = -1e30  # logit of a forbidden token: finite, so that 0 times it is 0 in an entropy
MIN_TEMPERATURE = 1e-3
AVOIDED = 8  # erased tokens that a cell does not get again
SURE = 0.8  # the confidence from which the calibration treats a cell as certain


@dataclass(frozen=True, eq=False)
class Processor:
    """One change of the logits. Equal keys and cells give equal results."""

    apply: Callable[[Table, Ints], Table]  # logits [n, V] and their cells; may write in place
    key: tuple[Any, ...]


def model_processors(
    state: State,
    canvas: Canvas,
    card: Card,
    without: Table | None = None,
    constraint: CompiledConstraint | None = None,
) -> list[Processor]:
    """The processors, in order, from raw logits to the model's distribution; `without` are the logits without the
    prompt, for guidance, and `constraint` is the state's compiled constraint."""
    s = state.settings
    # published decoders differ in the dtype of their confidences, and so in their ties
    processors = [_guidance(s.guidance, without)] if s.guidance else []
    processors += [_precision(s.precision), _forbid("never", card.never)]
    if card.expand is not None and not may_expand(card, state):
        processors.append(_forbid("expand", (card.expand,)))
    if s.bans:
        processors.append(_forbid("bans", s.bans))
    avoid = tuple(pair for pair in state.avoid if pair[1] not in (*card.ends, *card.skips))
    if avoid and not s.constraint:  # which may allow only the token that was erased
        processors.append(_avoid(avoid, canvas))
    if s.boosts:
        processors.append(_boosts(sorted(s.boosts.items())))
    if s.repetition != 1:
        processors.append(_repetition_penalty(s.repetition, canvas))
    if s.presence or s.frequency:
        processors.append(_presence_and_frequency(s.presence, s.frequency, canvas))
    if s.end == "penalise":
        processors.append(_boosts([(token, -s.end_penalty) for token in card.ends]))
    elif s.end == "forbid" or (s.end == "stop" and s.end_after):
        processors.append(_no_end(card.ends, canvas.origin + s.end_after if s.end_after else len(canvas)))
    # the rest of a gap can be left empty, and in a gap that may shrink an end means a cell too many
    if not s.room and {*card.skips} - {*card.ends} and (before := _last_given(canvas)):
        processors.append(_no_end(card.ends, before))
    if card.calibration and state.verify is None:  # measured on denoising, so it does not apply to verification
        processors.append(_calibration(card, canvas))
    if s.constraint:  # last: how sure the model is was measured without a rule
        processors.append(_constraint(constraint, canvas, s.constraint, reads_rule(card, state), ends_freely(state)))
    return processors


def own_words(card: Card) -> Processor:
    """The only processor of the network's own distribution: tokens that are never written have no share of it."""
    return _forbid("never", card.never)


def sampling_processors(state: State) -> list[Processor]:
    """The processors between the model's distribution and the one that is sampled: temperature, top-k, top-p, min-p."""
    s, temperature = state.settings, state.temperature
    processors = [_temperature(temperature)] if temperature else []
    if s.top_k:
        processors.append(_top_k(s.top_k))
    if s.top_p < 1:
        processors.append(_top_p(s.top_p))
    if s.min_p:
        processors.append(_min_p(s.min_p))
    return processors


def apply_processors(processors: Sequence[Processor], logits: Table, cells: Ints) -> Table:
    """Applies the processors in order; returns the changed logits."""
    for processor in processors:
        logits = processor.apply(logits, cells)
    return logits


def _guidance(scale: float, without: Table | None) -> Processor:
    """Classifier-free guidance: u + (s + 1)(c - u), from logits with the prompt (c) and without it (u)."""

    def apply(x: Table, cells: Ints) -> Table:
        assert without is not None
        conditional, unconditional = floor_at(x, FLOOR), floor_at(without, FLOOR)
        return unconditional + (scale + 1) * (conditional - unconditional)

    return Processor(apply, ("guidance", scale))


@cache
def _precision(dtype: str) -> Processor:
    def apply(x: Table, cells: Ints) -> Table:
        return x if dtype == "model" else astype(x, "float64" if dtype == "double" else "float32")

    return Processor(apply, ("precision", dtype))


@lru_cache(256)  # asked for again at every pass
def _forbid(why: str, tokens: tuple[int, ...]) -> Processor:
    def apply(x: Table, cells: Ints) -> Table:
        floor = lowest_logit(x)
        for token in tokens:
            if token < x.shape[1]:
                x[:, token] = floor  # one by one: a list of columns takes three times as long
        return x

    return Processor(apply, (why, *tokens))


def _avoid(pairs: tuple[tuple[int, int], ...], canvas: Canvas) -> Processor:
    """Forbids in a cell the tokens that were erased there last."""
    tokens: dict[int, tuple[int, ...]] = {}
    for cell, token in pairs:
        tokens[cell] = (*tokens.get(cell, ()), token)[-AVOIDED:]

    def apply(x: Table, cells: Ints) -> Table:
        for row in np.flatnonzero(np.isin(canvas.ids[np.minimum(cells, len(canvas) - 1)], [*tokens])).tolist():
            if cells[row] < len(canvas):
                _forbid("erased", tokens[int(canvas.ids[cells[row]])]).apply(x[row : row + 1], cells[row : row + 1])
        return x

    return Processor(apply, ("avoid", *pairs))


def _boosts(amounts: Sequence[tuple[int, float]]) -> Processor:
    def apply(x: Table, cells: Ints) -> Table:
        for token, amount in amounts:
            if token < x.shape[1]:
                x[:, token] += amount
        return x

    return Processor(apply, ("boosts", *amounts))


def _repetition_penalty(penalty: float, canvas: Canvas) -> Processor:
    """CTRL's penalty (Keskar et al. 2019, arXiv:1909.05858) for tokens of the prompt and the answer, once each."""
    tokens = np.unique(canvas.tokens[~canvas.open])

    def apply(x: Table, cells: Ints) -> Table:
        known = like(x, tokens[tokens < x.shape[1]])
        logits = x[:, known]
        less, negative = logits / penalty, logits < 0
        less[negative] = logits[negative] * penalty
        x[:, known] = less
        return x

    return Processor(apply, ("repetition", penalty, *tokens.tolist()))


def _presence_and_frequency(presence: float, frequency: float, canvas: Canvas) -> Processor:
    """OpenAI's presence and frequency penalties, counted again at each pass."""
    tokens, counts = np.unique(canvas.tokens[canvas.answer & ~canvas.open], return_counts=True)
    amounts = [(t, -presence - frequency * n) for t, n in zip(tokens.tolist(), counts.tolist(), strict=True)]
    return replace(_boosts(amounts), key=("repeated", *amounts))


def _last_given(canvas: Canvas) -> int:
    """The last cell of the given text where open or written cells come before it, else 0."""
    given = np.flatnonzero(canvas.given)
    return int(given[-1]) if given.size and given[-1] > canvas.origin else 0


def _no_end(ends: Sequence[int], before: int) -> Processor:
    """Forbids end-of-text tokens in the cells before `before`."""
    everywhere = _forbid("no_end", ends)

    def apply(x: Table, cells: Ints) -> Table:
        early = cells < before
        if early.all():
            return everywhere.apply(x, cells)
        rows = like(x, np.flatnonzero(early))
        known = [token for token in ends if token < x.shape[1]]
        if known:
            x[rows[:, None], known] = lowest_logit(x)
        return x

    return Processor(apply, ("no end", before, *ends))


def _constraint(
    compiled: CompiledConstraint | None, canvas: Canvas, row: Mapping[str, Any], reading: bool, as_text: bool
) -> Processor:
    """Forbids every token with which the text could no longer meet the constraint."""

    def apply(x: Table, cells: Ints) -> Table:
        assert compiled is not None
        masks = compiled.allowed_tokens(canvas, cells, reading, as_text)
        # many cells share a mask: it is inverted and moved to the device once
        distinct = {id(mask): mask for mask in masks if mask is not None}
        place = {key: i for i, key in enumerate(distinct)}
        table = np.ones((len(distinct) + 1, x.shape[1]), bool)
        for key, mask in distinct.items():
            np.logical_not(mask, out=table[place[key], : len(mask)])
        table[-1] = False  # for cells outside the constraint
        rows = [place.get(id(mask), len(distinct)) for mask in masks]
        forbidden = like(x, table)[like(x, np.array(rows, np.int64))]
        fill(x, forbidden, lowest_logit(x))
        return x

    return Processor(apply, ("constraint", json.dumps(row), canvas.pinned.tobytes(), reading, as_text))


def _calibration(card: Card, canvas: Canvas) -> Processor:
    """Temperature scaling that calibrates the confidences, measured for each share of open cells."""
    still_open, cells = int(np.count_nonzero(canvas.open)), int(np.count_nonzero(canvas.answer))
    temperature = _interpolate(tuple(card.calibration), still_open, cells)
    if not card.hesitant or still_open < cells:
        return Processor(lambda x, cells: _divide(x, temperature), ("calibration", temperature))

    def apply(x: Table, cells: Ints) -> Table:
        sure = (row_max(softmax(x)) / SURE).clip(max=1)
        return _divide(x, card.hesitant + (temperature - card.hesitant) * sure)

    return Processor(apply, ("calibration", temperature, card.hesitant))


def _divide(x: Table, by: Any) -> Table:
    """Divides in place."""
    x /= by
    return x


@lru_cache(4096)
def _interpolate(steps: tuple[float, ...], still_open: int, cells: int) -> float:
    """The temperature for a share of open cells, interpolated between measured values."""
    return float(np.interp(still_open / max(cells, 1), np.linspace(0, 1, len(steps)), steps))


def _temperature(temperature: float) -> Processor:
    # a lower temperature gives the same tokens and would overflow
    return Processor(lambda x, cells: x / max(temperature, MIN_TEMPERATURE), ("temperature", temperature))


def _top_k(k: int) -> Processor:
    def apply(x: Table, cells: Ints) -> Table:
        if k >= x.shape[1]:
            return x
        return where(x < _largest(x, k)[:, -1:], lowest_logit(x), x)

    return Processor(apply, ("top_k", k))


def _top_p(share: float) -> Processor:
    """Keeps the fewest tokens whose probabilities reach `share` (nucleus sampling)."""

    def apply(x: Table, cells: Ints) -> Table:
        p, host = softmax(x), on_host(x)
        words = x.shape[1]
        # on a GPU the check below would synchronise, so it sorts everything
        values = _largest(p, min(1024, words) if host else words)
        if host and bool((values.sum(-1) < share).any()):  # only a very flat distribution needs the full sort
            values = _largest(p, words)
        inside = values.cumsum(axis=-1) - values < share
        inside[:, 0] = True
        least = -row_max(where(inside, -values, -np.inf))
        return where(p < least, lowest_logit(x), x)

    return Processor(apply, ("top_p", share))


def _largest(x: Table, k: int) -> Table:
    """The k largest numbers of each row, the largest first."""
    if not is_numpy(x):
        return x.topk(k, dim=-1).values if k < x.shape[1] else x.sort(-1, descending=True).values
    return np.sort(np.partition(x, -k, axis=-1)[:, -k:], axis=-1)[:, ::-1]


def _min_p(share: float) -> Processor:
    """Forbids tokens less likely than `share` times the likeliest one."""

    def apply(x: Table, cells: Ints) -> Table:
        return where(x < row_max(x) + log(share), lowest_logit(x), x)

    return Processor(apply, ("min_p", share))


def lowest_logit(x: Table) -> float:
    """The logit of a forbidden token in a table."""
    return max(FLOOR, lowest(x) / 4)
