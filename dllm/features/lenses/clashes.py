"""Which words about to be written suit each other, and what writing several at once has cost."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from unmask.belief import Belief
from unmask.canvas import Floats, Ints
from unmask.errors import InvalidRequest
from unmask.features.lenses.requests import Clash
from unmask.features.lenses.turns import check_cell, moment_at, on_device, passes, rounded
from unmask.inference import infer
from unmask.inference.compatibility import CERTAIN, log_likelihoods, pairwise_effects, parallel_cost
from unmask.live.session import Session
from unmask.run.state import State
from unmask.run.step import step
from unmask.run.timeline import Node

_BASELINES: WeakKeyDictionary[Session, Baseline] = WeakKeyDictionary()  # of the moment that was asked about last
ROWS = 16  # canvases in one batch; runs get the device in between


class Baseline(NamedTuple):
    """The belief at a moment, with which all questions about its open cells start."""

    node: Node
    belief: Belief
    alone: Floats  # [L] log p(the guess) of each open cell, alone


async def clash(session: Session, question: Clash) -> dict[str, Any]:
    """The pairwise lift between the words that the next pass writes, and up to `beside` other guesses.

    With a `cell`, between its word and the guess of every open cell."""
    node = moment_at(session, question.at)
    state, denoiser = node.state, session.denoiser
    if state.done:
        raise InvalidRequest("nothing is open any more, so nothing is about to be written")
    _, belief, alone = await _baseline(session, node)
    if question.cell is not None:
        coming = tried = np.array([check_cell(node, question.cell)])
        if not belief.known[tried[0]] or not state.canvas.open[tried[0]]:
            raise InvalidRequest("no word is proposed for this cell now")
        cells = np.flatnonzero(state.canvas.open & belief.known)
    else:
        _, frame = step(state, belief)
        # the order in which they would be written one by one
        order = np.argsort(-belief.confidence[frame.cells], kind="stable")
        coming = frame.cells.astype(np.int64)[order]
        beside = _uncertain(state, belief, coming, question.beside)
        tried = cells = np.concatenate([coming, beside])
    tokens, sure = belief.token, belief.confidence
    lift = np.full((len(tried), len(state.canvas)), np.nan)
    if len(cells) > 1:
        for at in range(0, len(tried), ROWS):
            part = tried[at : at + ROWS]
            lift[at : at + ROWS] = await on_device(
                session, partial(pairwise_effects, denoiser, state, part, cells, tokens, alone)
            )
    nats = 0.0
    if question.cell is None:
        nats = await on_device(session, partial(parallel_cost, denoiser, state, coming, tokens[coming]))
    return {
        "did": "clash",
        "at": node.at,
        "tried": tried.tolist(),
        "cells": cells.tolist(),
        "tokens": tokens[cells].tolist(),
        "pieces": {str(t): session.denoiser.tokenizer.display_piece(t) for t in sorted({*tokens[cells].tolist()})},
        "sure": rounded(sure[cells]),
        "lift": [rounded(one) for one in lift[:, cells]],
        "coming": len(coming),
        "product": float(np.prod(sure[coming])),
        "nats": round(nats, 6),
    }


async def parallel_costs(session: Session) -> dict[str, Any]:
    """The cost of parallel writing for each pass, in nats: the joint log likelihood against that of each word alone."""
    nats = []
    for before, node in passes(session):
        frame = node.frame
        assert frame is not None
        order = np.argsort(-frame.confidence, kind="stable")
        cells, tokens = frame.cells.astype(np.int64)[order], frame.tokens.astype(np.int64)[order]
        fresh = before.canvas.open[cells]  # a cell that was only rewritten had a word before
        found = await on_device(session, partial(parallel_cost, session.denoiser, before, cells[fresh], tokens[fresh]))
        nats.append([node.at, None if np.isnan(found) else round(found, 4)])
    return {"did": "paid", "nats": nats}


async def _baseline(session: Session, node: Node) -> Baseline:
    """The baseline of a moment, computed once: each further question then costs one forward."""
    if (known := _BASELINES.get(session)) is not None and known.node is node:
        return known
    denoiser, state = session.denoiser, node.state
    (belief,) = await on_device(session, partial(infer, denoiser, [state], [True]))
    cells = np.flatnonzero(state.canvas.open & belief.known)
    alone = await on_device(session, partial(log_likelihoods, denoiser, state, cells, belief.token))
    baseline = _BASELINES[session] = Baseline(node, belief, alone)
    return baseline


def _uncertain(state: State, belief: Belief, coming: Ints, most: int) -> Ints:
    """Up to `most` other guesses that are not certain, the likeliest first; guesses of an end of text are left out."""
    other = state.canvas.open & belief.known & (belief.confidence < CERTAIN)
    other &= ~np.isin(belief.token, belief.ends)
    other[coming] = False
    cells = np.flatnonzero(other)
    return cells[np.argsort(-belief.confidence[cells], kind="stable")][: min(max(most, 0), ROWS)]
