"""What-if questions about a moment of a session, which change nothing.

They take turns with the other work of the device, one small batch at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from unmask.belief import Belief
from unmask.canvas import Floats, Ints
from unmask.errors import InvalidRequest
from unmask.features.lenses.attribution import leave_one_out, logit_lens
from unmask.features.lenses.validity import validity
from unmask.inference import infer
from unmask.inference.compatibility import CERTAIN, log_likelihoods, pairwise_effects, parallel_cost
from unmask.live.device import Device
from unmask.live.session import Session
from unmask.run.fields import check_field
from unmask.run.state import State
from unmask.run.step import step
from unmask.run.timeline import Node

T = TypeVar("T")
_RESTS: WeakKeyDictionary[Device, float] = WeakKeyDictionary()  # until when questions leave a device to its runs
_GROUNDS: WeakKeyDictionary[Session, Baseline] = WeakKeyDictionary()  # of the moment that was looked at last
ROWS = 16  # canvases in one batch: others get the device in between
MOST_PASSES = 16  # that are looked at layer by layer

Asking = Callable[[Session, Mapping[str, Any]], Awaitable[dict[str, Any]]]


class Baseline(NamedTuple):
    """What is believed of a moment as it is: every question about its open cells begins there."""

    node: Node
    belief: Belief
    alone: Floats  # [L] log p(the guess) where a cell is open


async def clash(session: Session, row: Mapping[str, Any]) -> dict[str, Any]:
    """How the words that the next pass writes suit each other, and so many of the other guesses that are least sure
    of themselves; with a cell, how its word suits every open one."""
    node = _moment(session, row)
    state, denoiser = node.state, session.denoiser
    if state.done:
        raise InvalidRequest("nothing is open any more, so nothing is about to be written")
    _, belief, alone = await _baseline(session, node)
    if "cell" in row:
        coming = tried = np.array([_cell(session, node, row)])
        if not belief.known[tried[0]] or not state.canvas.open[tried[0]]:
            raise InvalidRequest("no word is proposed for this cell now")
        cells = np.flatnonzero(state.canvas.open & belief.known)
    else:
        _, frame = step(state, belief)
        order = np.argsort(-belief.confidence[frame.cells], kind="stable")  # as they would be written one by one
        coming = frame.cells.astype(np.int64)[order]
        beside = _doubtful(state, belief, coming, check_field("int", "beside", row.get("beside", 0)))
        tried = cells = np.concatenate([coming, beside])
    tokens, sure = belief.token, belief.confidence
    lift = np.full((len(tried), len(state.canvas)), np.nan)
    if len(cells) > 1:
        for at in range(0, len(tried), ROWS):
            part = tried[at : at + ROWS]
            lift[at : at + ROWS] = await _turn(
                session.device, partial(pairwise_effects, denoiser, state, part, cells, tokens, alone)
            )
    nats = 0.0
    if "cell" not in row:
        nats = await _turn(session.device, partial(parallel_cost, denoiser, state, coming, tokens[coming]))
    return {
        "did": "clash",
        "at": node.at,
        "tried": tried.tolist(),
        "cells": cells.tolist(),
        "tokens": tokens[cells].tolist(),
        "pieces": {str(t): session.denoiser.tokenizer.display_piece(t) for t in sorted({*tokens[cells].tolist()})},
        "sure": _tidy(sure[cells]),
        "lift": [_tidy(one) for one in lift[:, cells]],
        "coming": len(coming),
        "product": float(np.prod(sure[coming])),
        "nats": round(nats, 6),
    }


async def parallel_costs(session: Session, row: Mapping[str, Any]) -> dict[str, Any]:
    """Nats paid for writing words at once, pass by pass: what the text's words cost together over what each did."""
    nats = []
    for before, node in _passes(session):
        frame = node.frame
        assert frame is not None
        order = np.argsort(-frame.confidence, kind="stable")
        cells, tokens = frame.cells.astype(np.int64)[order], frame.tokens.astype(np.int64)[order]
        fresh = before.canvas.open[cells]  # what only changed its mind had a word already
        found = await _turn(
            session.device, partial(parallel_cost, session.denoiser, before, cells[fresh], tokens[fresh])
        )
        nats.append([node.at, None if np.isnan(found) else round(found, 4)])
    return {"did": "paid", "nats": nats}


async def why(session: Session, row: Mapping[str, Any]) -> dict[str, Any]:
    """How much of a written word's likelihood each other written word gives it: every one opened again in turn."""
    node = _moment(session, row)
    cell, canvas = _cell(session, node, row), node.canvas
    others = np.flatnonzero(~canvas.open & (np.arange(len(canvas)) != cell))
    owed: list[float] = []
    alone = 0.0
    for at in range(0, max(len(others), 1), ROWS):
        part: Ints = others[at : at + ROWS]
        alone, some = await _turn(session.device, partial(leave_one_out, session.denoiser, node.state, cell, part))
        owed += some.tolist()
    return {
        "did": "why",
        "at": node.at,
        "cell": cell,
        "share": float(np.exp(alone)),
        "others": others.tolist(),
        "nats": _tidy(np.array(owed)),
    }


async def layers(session: Session, row: Mapping[str, Any]) -> dict[str, Any]:
    """At which layer and after which pass the model knew the word that stands in a cell."""
    node = _moment(session, row)
    cell = _cell(session, node, row)
    if node.canvas.open[cell]:
        raise InvalidRequest("nothing stands in this cell yet: ask once it is written")
    path = [one for one in node.path() if one.frame is not None or one.parent is None]
    path = path[::-1][:: -(-len(path) // MOST_PASSES)][::-1]  # the newest among them
    name, token = int(node.canvas.ids[cell]), int(node.canvas.tokens[cell])
    share: list[list[float | None]] = []
    best: list[list[str]] = []
    for one in path:
        found = await _turn(session.device, partial(logit_lens, session.denoiser, [one.state], name, token))
        if found is None:
            raise InvalidRequest("this model does not show its layers; the embedded pair does")
        share.append(_tidy(found.share[0]))
        best.append([session.denoiser.tokenizer.display_piece(t) if t >= 0 else "" for t in found.best[0].tolist()])
    return {"did": "layers", "cell": cell, "at": [one.at for one in path], "share": share, "best": best}


async def valid(session: Session, row: Mapping[str, Any]) -> dict[str, Any]:
    """How likely a text would be valid if everything were written now without the constraint, and what is alive."""
    node = _moment(session, row)
    found = await _turn(session.device, partial(validity, session.denoiser, node.state))
    return {
        "did": "validity",
        "at": node.at,
        "chance": found.chance,
        "begins": found.begins,
        "live": found.live,
        "allowed": found.allowed,
    }


LENSES: Mapping[str, Asking] = {"clash": clash, "paid": parallel_costs, "why": why, "layers": layers, "validity": valid}


async def _baseline(session: Session, node: Node) -> Baseline:
    """Worked out once for a moment: a hand that moves over its cells then costs one forward a cell."""
    if (known := _GROUNDS.get(session)) is not None and known.node is node:
        return known
    denoiser, state = session.denoiser, node.state
    (belief,) = await _turn(session.device, partial(infer, denoiser, [state], [True]))
    cells = np.flatnonzero(state.canvas.open & belief.known)
    alone = await _turn(session.device, partial(log_likelihoods, denoiser, state, cells, belief.token))
    ground = _GROUNDS[session] = Baseline(node, belief, alone)
    return ground


def _doubtful(state: State, belief: Belief, coming: Ints, most: int) -> Ints:
    """So many at most of the other guesses that are not certain, the likeliest first; not those of an end of text."""
    other = state.canvas.open & belief.known & (belief.confidence < CERTAIN)
    other &= ~np.isin(belief.token, belief.ends)
    other[coming] = False
    cells = np.flatnonzero(other)
    return cells[np.argsort(-belief.confidence[cells], kind="stable")][: min(max(most, 0), ROWS)]


async def _turn(device: Device, work: Callable[[], T]) -> T:
    """Some work of a question. Where runs wait for the device, they get it next for as long as this took."""
    if (rest := _RESTS.get(device, 0.0) - time.monotonic()) > 0:
        await asyncio.sleep(rest)
    found, spent = await device.run(partial(_timed, work))
    _RESTS[device] = time.monotonic() + (spent if device.waiting else 0.0)
    return found


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    """Where the weights are, perhaps in another process."""
    began = time.monotonic()
    found = work()
    return found, time.monotonic() - began


def _moment(session: Session, row: Mapping[str, Any]) -> Node:
    at = check_field("int", "at", row.get("at", -1))
    return session.head if at == -1 else session.head.ancestor(at)


def _cell(session: Session, node: Node, row: Mapping[str, Any]) -> int:
    cell: int = check_field("int", "cell", row.get("cell"))
    if not 0 <= cell < len(node.canvas):
        raise InvalidRequest(f"there is no cell {cell}: the canvas has {len(node.canvas)}, counted from 0")
    return cell


def _passes(session: Session) -> list[tuple[State, Node]]:
    """Each pass of the present branch, with the state it saw."""
    return [
        (node.parent.state, node) for node in session.head.path() if node.frame is not None and node.parent is not None
    ]


def _tidy(row: Floats) -> list[float | None]:
    """As JSON can hold it; None for a number that is not one."""
    return [None if not np.isfinite(x) else round(float(x), 6) for x in row]
