"""The lines of a trace as another program writes them, from version 4 on: what each may hold, and what a reader puts in
place of what is missing. `docs/trace.schema.json` is made from these declarations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter

from unmask.canvas import NOTHING, Canvas
from unmask.run.codec import pack, width_for
from unmask.run.frame import CANDIDATES
from unmask.run.message import Flag, Number, Text, Whole, read

Cell = Annotated[int, Field(strict=True, ge=0, le=65_535)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
Count = Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)]
Reason = tuple[Text, list[Cell], list[Number]]


@dataclass(frozen=True)
class CanvasLine:
    """The cells before the first pass, or after an edit."""

    tokens: Annotated[list[Whole], Field(description="the token in each cell; -1 in an open (masked) one")]
    kinds: Annotated[
        Text, Field(description="a letter per cell: g given, o open, w written, p pinned, y a person's own")
    ]
    ids: Annotated[list[Whole] | None, Field(description="a lasting number for each cell, where cells come and go")] = (
        None
    )


@dataclass(frozen=True)
class HeadLine:
    """What is known of a run before its first pass."""

    source: Annotated[Text, Field(description="what recorded it, as the name of a program")] = ""
    words: Annotated[Count, Field(description="size of the vocabulary")] = 0xFFFF
    prompt: Annotated[Text, Field(description="the prompt as text")] = ""
    model: Annotated[dict[str, Any] | None, Field(description='what decoded, as {"name": "LLaDA-8B"}')] = None
    decoder: Annotated[Text, Field(description="how it decoded, in a few words")] = ""
    ends: Annotated[list[Whole] | None, Field(description="the tokens that end a text")] = None
    seed: Annotated[Whole | None, Field(description="of its random draws")] = None
    settings: Annotated[dict[str, Any] | None, Field(description="Unmask's own settings, where it decoded")] = None


@dataclass(frozen=True)
class RunLine:
    """One run of a file."""

    head: Annotated[HeadLine, Field(description="what is known before the first pass")]
    canvas: Annotated[CanvasLine, Field(description="the cells before the first pass")]
    pieces: Annotated[dict[str, Text] | None, Field(description="the text of each token, by its number")] = None
    heads: Annotated[dict[str, Count] | None, Field(description="the last moment of each branch, by its name")] = None
    on: Annotated[Text, Field(description="the branch that was written last")] = "1"


@dataclass(frozen=True)
class FirstLine:
    """The first line of a file."""

    unmask: Annotated[Literal[4], Field(description="the version of the format")]
    runs: Annotated[list[RunLine], Field(min_length=1, max_length=8, description="the runs, of which two are shown")]


@dataclass(frozen=True)
class BeliefLine:
    """What the model expected in one cell."""

    cell: Annotated[Cell, Field(description="which cell, counted from 0")]
    top: Annotated[
        list[tuple[Whole, Share]],
        Field(min_length=1, max_length=CANDIDATES, description="up to five tokens with probabilities, likeliest first"),
    ]
    entropy: Annotated[Number | None, Field(description="of the whole distribution, in nats")] = None


@dataclass(frozen=True)
class PassLine:
    """One pass: what it wrote and erased, and what the model expected."""

    did: Annotated[Literal["stepped"], Field(description="says that this is a pass")]
    w: Annotated[list[Cell], Field(description="the cells that were written")]
    t: Annotated[list[Whole], Field(description="the token written into each")]
    c: Annotated[list[Share | None] | None, Field(description="its probability; null where unknown")] = None
    x: Annotated[list[Cell] | None, Field(description="the cells that were erased (masked again)")] = None
    was: Annotated[list[Whole] | None, Field(description="the token before each write; -1 in an open cell")] = None
    beliefs: Annotated[list[BeliefLine] | None, Field(description="of the canvas before the pass")] = None
    cost: Annotated[Count, Field(description="forwards that it took")] = 1
    ms: Annotated[
        tuple[Number, Number, Number] | None, Field(description="milliseconds in the model, around it, and so far")
    ] = None
    why: Annotated[
        list[Reason] | None, Field(description="a sentence, its cells, and a number for each cell or none")
    ] = None
    open: Annotated[Count | None, Field(description="cells still open afterwards; if given, it is checked")] = None
    step: Annotated[Count | None, Field(description="the number of the pass, from 0; if given, it is checked")] = None
    done: Annotated[Flag | None, Field(description="whether it was the last")] = None
    run: Annotated[Count, Field(description="which run of the file, from 0")] = 0
    after: Annotated[Count | None, Field(description="the moment that it follows, if not the one before")] = None
    noise: Annotated[Text, Field(description="packed: the token in each cell, for a model without a mask")] = ""
    stale: Annotated[Text, Field(description="packed: passes since a cache saw each cell")] = ""
    g: Annotated[Text | None, Field(description="packed: the likeliest token of each cell")] = None
    s: Annotated[Text | None, Field(description="packed: its probability, in 255ths")] = None
    e: Annotated[Text | None, Field(description="packed: the entropy, in 32nds of a nat")] = None
    m: Annotated[Text | None, Field(description="packed: likeliest minus second likeliest, in 255ths")] = None
    ti: Annotated[Text | None, Field(description="packed: five tokens of each cell, likeliest first")] = None
    tp: Annotated[Text | None, Field(description="packed: their probabilities, in 255ths")] = None


@dataclass(frozen=True)
class EditLine:
    """A change by a person, or a change of the number of cells."""

    did: Annotated[Literal["edited"], Field(description="says that this is an edit")]
    edit: Annotated[dict[str, Any], Field(description='as {"do": "pin", "cells": [7], "tokens": [42]}')]
    canvas: Annotated[CanvasLine, Field(description="the cells afterwards")]


@dataclass(frozen=True)
class SealLine:
    """The last line, which may be left out: a digest of all lines before it."""

    did: Annotated[Literal["sealed"], Field(description="says that this is the seal")]
    sha256: Annotated[Text, Field(description="SHA-256 of all lines before, each with its line end")]


LINES = (FirstLine, RunLine, HeadLine, CanvasLine, PassLine, BeliefLine, EditLine, SealLine)


def schema() -> dict[str, Any]:
    """A JSON schema of any line of a trace."""
    any_line: TypeAdapter[Any] = TypeAdapter(FirstLine | PassLine | EditLine | SealLine)
    return {"title": "A line of an Unmask trace, version 4"} | any_line.json_schema()


def complete_head(row: Mapping[str, Any]) -> dict[str, Any]:
    """A run's head with what every reader needs; it is marked as recorded elsewhere."""
    head = read(_adapter(HeadLine), row, "head")
    given = {k: v for k, v in row.items() if v is not None}
    return (
        {"settings": {}, "ends": []}
        | given
        | {
            "source": head.source,
            "words": head.words,
            "width": width_for(head.words),
        }
    )


def complete_pass(row: Mapping[str, Any], before: Canvas, step: int, words: int) -> dict[str, Any]:
    """A pass with every key that a frame needs, from the canvas before it."""
    line = read(_adapter(PassLine), row, "pass")
    cells, width = len(before), width_for(words)
    still_open = before.open.copy()
    still_open[[c for c in line.w if c < cells]] = False
    still_open[[c for c in line.x or () if c < cells]] = True
    left = int(np.count_nonzero(still_open))
    nothing = np.full(cells, NOTHING)
    was = np.where(before.open, NOTHING, before.tokens)
    full: dict[str, Any] = {
        "step": step, "block": 0, "turn": step, "quota": len(line.w), "cost": 1, "open": left, "done": left == 0,
        "c": [None] * len(line.w), "why": [], "was": [int(was[c]) for c in line.w if c < cells],
        "g": pack(nothing, width), "s": pack(np.zeros(cells), 1), "e": pack(np.zeros(cells), 1),
        "m": pack(np.zeros(cells), 1), "ti": pack(np.repeat(nothing, CANDIDATES), width),
        "tp": pack(np.zeros(cells * CANDIDATES), 1),
    }  # fmt: skip
    if line.beliefs:
        full |= _packed_beliefs(line.beliefs, cells, width)
    return full | {k: v for k, v in row.items() if v is not None}


def _packed_beliefs(beliefs: list[BeliefLine], cells: int, width: int) -> dict[str, str]:
    ids, shares = np.full((cells, CANDIDATES), NOTHING), np.zeros((cells, CANDIDATES))
    entropy: NDArray[np.float64] = np.zeros(cells)
    for belief in beliefs:
        if belief.cell >= cells:
            raise ValueError(f"a belief is about cell {belief.cell}, and there are {cells}")
        for k, (token, share) in enumerate(belief.top):
            ids[belief.cell, k], shares[belief.cell, k] = token, share
        entropy[belief.cell] = min(max(belief.entropy or 0.0, 0.0) * 32, 255)
    parts = np.rint(shares * 255)
    return {
        "g": pack(ids[:, 0], width), "s": pack(parts[:, 0], 1), "e": pack(np.rint(entropy), 1),
        "m": pack(np.rint(np.maximum(shares[:, 0] - shares[:, 1], 0) * 255), 1),
        "ti": pack(ids.ravel(), width), "tp": pack(parts.ravel(), 1),
    }  # fmt: skip


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
