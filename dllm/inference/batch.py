"""Thoughts of one shape share a forward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unmask.inference.unthinkable import Unthinkable
from unmask.models import Denoiser, Thought

if TYPE_CHECKING:
    from torch import Tensor


def answer(denoiser: Denoiser, thoughts: Sequence[Thought]) -> list[Tensor]:
    """Logits for each thought, one forward for each shape: a row for each cell of the question, as wide as all words.

    Anything else is refused, or tokens would be names of nothing."""
    tables = _answered(denoiser, thoughts)
    for thought, table in zip(thoughts, tables, strict=True):
        if tuple(table.shape) != (wanted := (len(thought.rows), denoiser.card.words)):
            raise Unthinkable(f"the model answered with a table of {tuple(table.shape)} numbers instead of {wanted}")
    return tables


def _answered(denoiser: Denoiser, thoughts: Sequence[Thought]) -> list[Tensor]:
    if len(thoughts) == 1:
        return denoiser.logits(thoughts)
    groups: dict[Any, list[int]] = {}
    for i, thought in enumerate(thoughts):
        groups.setdefault(thought.shape, []).append(i)
    answers: dict[int, Tensor] = {}
    for members in groups.values():
        answers.update(zip(members, denoiser.logits([thoughts[i] for i in members]), strict=True))
    return [answers[i] for i in range(len(thoughts))]
