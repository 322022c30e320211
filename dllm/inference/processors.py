"""Logit processors: each changes the logits in one way, and its key says all that the change depends on.

What is recalled is recalled by these keys, so nobody who adds a processor can forget to name what it depends on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from unmask.canvas import Canvas, Card, Ints
from unmask.decide.constraint import CompiledConstraint
from unmask.run.free_length import may_expand
from unmask.run.state import State

if TYPE_CHECKING:
    from torch import Tensor

FLOOR = -1e30  # what a forbidden token's logit becomes: finite, so that 0 times it is 0 in an entropy
COLDEST = 1e-3
SURE = 0.8  # from this confidence on a cell is as sure as any


@dataclass(frozen=True, eq=False)
class Processor:
    """One change of the logits. Equal keys and cells do the same."""

    apply: Callable[[Tensor, Ints], Tensor]  # logits [n, V] and the cells they are about; it may write in them
    key: tuple[Any, ...]


def model_processors(
    state: State,
    canvas: Canvas,
    card: Card,
    without: Tensor | None = None,
    constraint: CompiledConstraint | None = None,
) -> list[Processor]:
    """What makes the model's distribution from its logits, in order; `without` are the logits without the prompt,
    and `legal` is the state's constraint, prepared."""
    s = state.settings
    # the number type that confidences are read in is part of a published decoder
    made = [_guidance(s.guidance, without)] if s.guidance else []
    made += [_precision(s.precision), _forbid("never", card.never)]
    if card.expand is not None and not may_expand(card, state):
        made.append(_forbid("expand", (card.expand,)))
    if s.bans:
        made.append(_forbid("bans", s.bans))
    if s.boosts:
        made.append(_boosts(sorted(s.boosts.items())))
    if s.presence or s.frequency:
        made.append(_repetition_penalties(s.presence, s.frequency, canvas))
    if s.end == "penalise":
        made.append(_boosts([(token, -s.end_penalty) for token in card.ends]))
    elif s.end == "forbid" or (s.end == "stop" and s.end_after):
        made.append(_no_end(card.ends, canvas.origin + s.end_after if s.end_after else len(canvas)))
    if s.constraint:
        made.append(_constraint(constraint, canvas, s.constraint))
    if card.calibration and state.verify is None:  # it was measured with cells open, not of reading
        made.append(_calibration(card, canvas))
    return made


def sampling_processors(state: State) -> list[Processor]:
    """What a word is drawn from: the model's distribution made colder or warmer, and its tail cut off."""
    s, heat = state.settings, state.temperature
    made = [_temperature(heat)] if heat else []
    if s.top_k:
        made.append(_top_k(s.top_k))
    if s.top_p < 1:
        made.append(_top_p(s.top_p))
    if s.min_p:
        made.append(_min_p(s.min_p))
    return made


def apply_processors(processors: Sequence[Processor], logits: Tensor, cells: Ints) -> Tensor:
    """Logits after all processors."""
    for processor in processors:
        logits = processor.apply(logits, cells)
    return logits


def _guidance(scale: float, without: Tensor | None) -> Processor:
    """Away from the logits without the prompt, by the setting s: u + (s + 1)(c - u)."""

    def apply(x: Tensor, cells: Ints) -> Tensor:
        assert without is not None
        given, hidden = x.clamp(min=FLOOR), without.clamp(min=FLOOR)
        return hidden + (scale + 1) * (given - hidden)

    return Processor(apply, ("guidance", scale))


@cache
def _precision(kind: str) -> Processor:
    def apply(x: Tensor, cells: Ints) -> Tensor:
        return x if kind == "model" else x.double() if kind == "double" else x.float()

    return Processor(apply, ("precision", kind))


@lru_cache(256)  # the same at every pass
def _forbid(why: str, tokens: tuple[int, ...]) -> Processor:
    def apply(x: Tensor, cells: Ints) -> Tensor:
        floor = lowest_logit(x.dtype)
        for token in tokens:
            if token < x.shape[1]:
                x.select(1, token).fill_(floor)  # one by one: a list of columns takes three times as long
        return x

    return Processor(apply, (why, *tokens))


def _boosts(amounts: Sequence[tuple[int, float]]) -> Processor:
    def apply(x: Tensor, cells: Ints) -> Tensor:
        for token, amount in amounts:
            if token < x.shape[1]:
                x[:, token] += amount
        return x

    return Processor(apply, ("boosts", *amounts))


def _repetition_penalties(presence: float, frequency: float, canvas: Canvas) -> Processor:
    """Less of what the answer holds already: OpenAI's two penalties, counted anew at each pass."""
    tokens, counts = np.unique(canvas.tokens[canvas.answer & ~canvas.open], return_counts=True)
    amounts = [(t, -presence - frequency * n) for t, n in zip(tokens.tolist(), counts.tolist(), strict=True)]
    return replace(_boosts(amounts), key=("repeated", *amounts))


def _no_end(ends: Sequence[int], before: int) -> Processor:
    """No end of text in the cells before one."""
    everywhere = _forbid("no_end", ends)

    def apply(x: Tensor, cells: Ints) -> Tensor:
        early = cells < before
        if early.all():
            return everywhere.apply(x, cells)
        import torch

        rows = torch.from_numpy(np.flatnonzero(early)).to(x.device)
        known = [token for token in ends if token < x.shape[1]]
        if known:
            x[rows[:, None], known] = lowest_logit(x.dtype)
        return x

    return Processor(apply, ("no end", before, *ends))


def _constraint(compiled: CompiledConstraint | None, canvas: Canvas, row: Mapping[str, Any]) -> Processor:
    """Only words with which the whole text can still meet the constraint."""

    def apply(x: Tensor, cells: Ints) -> Tensor:
        import torch

        assert compiled is not None
        masks = compiled.allowed_tokens(canvas, cells)
        # many cells share a mask: it is inverted and moved to the device once
        distinct = {id(mask): mask for mask in masks if mask is not None}
        place = {key: i for i, key in enumerate(distinct)}
        table = np.ones((len(distinct) + 1, x.shape[1]), bool)
        for key, mask in distinct.items():
            np.logical_not(mask, out=table[place[key], : len(mask)])
        table[-1] = False  # where the constraint does not reach
        rows = [place.get(id(mask), len(distinct)) for mask in masks]
        forbidden = torch.from_numpy(table).to(x.device)[torch.tensor(rows, dtype=torch.long, device=x.device)]
        return x.masked_fill_(forbidden, lowest_logit(x.dtype))

    return Processor(apply, ("constraint", json.dumps(row), canvas.pinned.tobytes()))


def _calibration(card: Card, canvas: Canvas) -> Processor:
    """Confidences as right as often as they say: a temperature by the share of the answer that is open, measured."""
    still_open, cells = int(np.count_nonzero(canvas.open)), int(np.count_nonzero(canvas.answer))
    heat = _interpolate(tuple(card.calibration), still_open, cells)
    if not card.hesitant or still_open < cells:
        return Processor(lambda x, cells: x.div_(heat), ("calibration", heat))

    def apply(x: Tensor, cells: Ints) -> Tensor:
        sure = (x.softmax(-1).amax(-1, keepdim=True) / SURE).clamp_(max=1)
        return x.div_(card.hesitant + (heat - card.hesitant) * sure)

    return Processor(apply, ("calibration", heat, card.hesitant))


@lru_cache(4096)
def _interpolate(steps: tuple[float, ...], still_open: int, cells: int) -> float:
    """Between two of the measured steps, by the share of cells that is open."""
    return float(np.interp(still_open / max(cells, 1), np.linspace(0, 1, len(steps)), steps))


def _temperature(heat: float) -> Processor:
    # colder than COLDEST is as good as certain, and would only overflow
    return Processor(lambda x, cells: x / max(heat, COLDEST), ("temperature", heat))


def _top_k(k: int) -> Processor:
    def apply(x: Tensor, cells: Ints) -> Tensor:
        import torch

        if k >= x.shape[1]:
            return x
        return torch.where(x < x.topk(k, dim=-1).values[:, -1:], lowest_logit(x.dtype), x)

    return Processor(apply, ("top_k", k))


def _top_p(share: float) -> Processor:
    """The fewest words that hold this share."""

    def apply(x: Tensor, cells: Ints) -> Tensor:
        import torch

        p = torch.softmax(x, -1)
        here = x.device.type == "cpu"  # another device would be waited for, so it orders everything unseen
        values = p.topk(min(1024, x.shape[1]), dim=-1).values if here else p.sort(-1, descending=True).values
        if here and bool((values.sum(-1) < share).any()):  # a very flat belief: only then is everything ordered
            values = p.sort(-1, descending=True).values
        inside = values.cumsum(-1) - values < share
        inside[:, 0] = True
        least = torch.where(inside, values, torch.inf).amin(-1, keepdim=True)
        return torch.where(p < least, lowest_logit(x.dtype), x)

    return Processor(apply, ("top_p", share))


def _min_p(share: float) -> Processor:
    """No word less likely than a share of the likeliest."""

    def apply(x: Tensor, cells: Ints) -> Tensor:
        import torch

        return torch.where(x < x.amax(-1, keepdim=True) + log(share), lowest_logit(x.dtype), x)

    return Processor(apply, ("min_p", share))


@cache
def lowest_logit(kind: Any) -> float:
    """What a forbidden token's logit becomes in this number type."""
    import torch

    return float(max(FLOOR, torch.finfo(kind).min / 4))
