"""The lenses: questions about a moment of a session, which do not change it.

They share the device with the runs, one small batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar, assert_never
from weakref import WeakKeyDictionary

import numpy as np

from unmask.belief import Belief
from unmask.canvas import Floats, Ints
from unmask.errors import InvalidRequest
from unmask.features.lenses.attribution import leave_one_out, logit_lens
from unmask.features.lenses.requests import QUESTIONS, Clash, Goals, Layers, Paid, Question, Validity, Why
from unmask.features.lenses.validity import validity
from unmask.inference import infer
from unmask.inference.compatibility import CERTAIN, log_likelihoods, pairwise_effects, parallel_cost
from unmask.inference.measures import Goal, compared, measure
from unmask.live.device import Client
from unmask.live.permissions import Permission
from unmask.live.session import Session
from unmask.run.state import State
from unmask.run.step import step
from unmask.run.timeline import Node
from unmask.serve.doors.messages import numbers
from unmask.serve.features import Answers

T = TypeVar("T")
_CLIENTS: WeakKeyDictionary[Session, Client] = WeakKeyDictionary()  # their turns on the device
_BASELINES: WeakKeyDictionary[Session, Baseline] = WeakKeyDictionary()  # of the moment that was asked about last
ROWS = 16  # canvases in one batch; runs get the device in between
MOST_PASSES = 16  # of one run that `layers` computes


class Baseline(NamedTuple):
    """The belief at a moment, with which all questions about its open cells start."""

    node: Node
    belief: Belief
    alone: Floats  # [L] log p(the guess) of each open cell, alone


async def clash(session: Session, question: Clash) -> dict[str, Any]:
    """The pairwise lift between the words that the next pass writes, and up to `beside` other guesses.

    With a `cell`, between its word and the guess of every open cell."""
    node = _moment(session, question.at)
    state, denoiser = node.state, session.denoiser
    if state.done:
        raise InvalidRequest("nothing is open any more, so nothing is about to be written")
    _, belief, alone = await _baseline(session, node)
    if question.cell is not None:
        coming = tried = np.array([_cell(node, question.cell)])
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
            lift[at : at + ROWS] = await _on_device(
                session, partial(pairwise_effects, denoiser, state, part, cells, tokens, alone)
            )
    nats = 0.0
    if question.cell is None:
        nats = await _on_device(session, partial(parallel_cost, denoiser, state, coming, tokens[coming]))
    return {
        "did": "clash",
        "at": node.at,
        "tried": tried.tolist(),
        "cells": cells.tolist(),
        "tokens": tokens[cells].tolist(),
        "pieces": {str(t): session.denoiser.tokenizer.display_piece(t) for t in sorted({*tokens[cells].tolist()})},
        "sure": _rounded(sure[cells]),
        "lift": [_rounded(one) for one in lift[:, cells]],
        "coming": len(coming),
        "product": float(np.prod(sure[coming])),
        "nats": round(nats, 6),
    }


async def parallel_costs(session: Session) -> dict[str, Any]:
    """The cost of parallel writing for each pass, in nats: the joint log likelihood against that of each word alone."""
    nats = []
    for before, node in _passes(session):
        frame = node.frame
        assert frame is not None
        order = np.argsort(-frame.confidence, kind="stable")
        cells, tokens = frame.cells.astype(np.int64)[order], frame.tokens.astype(np.int64)[order]
        fresh = before.canvas.open[cells]  # a cell that was only rewritten had a word before
        found = await _on_device(session, partial(parallel_cost, session.denoiser, before, cells[fresh], tokens[fresh]))
        nats.append([node.at, None if np.isnan(found) else round(found, 4)])
    return {"did": "paid", "nats": nats}


async def why(session: Session, question: Why) -> dict[str, Any]:
    """Leave-one-out attribution of a written word: each other word is masked in turn."""
    node = _moment(session, question.at)
    cell, canvas = _cell(node, question.cell), node.canvas
    others = np.flatnonzero(~canvas.open & (np.arange(len(canvas)) != cell))
    attributions: list[float] = []
    alone = 0.0
    for at in range(0, max(len(others), 1), ROWS):
        part: Ints = others[at : at + ROWS]
        alone, some = await _on_device(session, partial(leave_one_out, session.denoiser, node.state, cell, part))
        attributions += some.tolist()
    return {
        "did": "why",
        "at": node.at,
        "cell": cell,
        "share": float(np.exp(alone)),
        "others": others.tolist(),
        "nats": _rounded(np.array(attributions)),
    }


async def layers(session: Session, question: Layers) -> dict[str, Any]:
    """The logit lens: at which layer and after which pass the model knew the word in a cell."""
    node = _moment(session, question.at)
    cell = _cell(node, question.cell)
    if node.canvas.open[cell]:
        raise InvalidRequest("nothing stands in this cell yet: ask once it is written")
    path = await session.device.work.run(session.client.visitor, lambda: _spaced(node))
    name, token = int(node.canvas.ids[cell]), int(node.canvas.tokens[cell])
    share: list[list[float | None]] = []
    best: list[list[str]] = []
    for one in path:
        found = await _on_device(session, partial(logit_lens, session.denoiser, [one.state], name, token))
        if found is None:
            raise InvalidRequest("this model does not show its layers; the embedded pair does")
        share.append(_rounded(found.share[0]))
        best.append([session.denoiser.tokenizer.display_piece(t) if t >= 0 else "" for t in found.best[0].tolist()])
    return {"did": "layers", "cell": cell, "at": [one.at for one in path], "share": share, "best": best}


async def valid(session: Session, question: Validity) -> dict[str, Any]:
    """The probability of a valid text if all cells were written now without the constraint, and what it allows."""
    node = _moment(session, question.at)
    found = await _on_device(session, partial(validity, session.denoiser, node.state))
    return {
        "did": "validity",
        "at": node.at,
        "chance": found.chance,
        "begins": found.begins,
        "live": found.live,
        "allowed": found.allowed,
    }


async def goals(session: Session, question: Goals) -> dict[str, Any]:
    """The measures of a finished run, and which goals it meets."""
    if not session.head.state.done:
        raise InvalidRequest("the run has not ended yet: its goals are checked at its end")
    return {"did": "goals"} | await session.device.work.run(session.client.visitor, partial(_goals, session, question))


def _goals(session: Session, question: Goals) -> dict[str, Any]:
    goals = [Goal(text) for text in question.goals]
    prompt = str(session.timeline.about["prompt"])
    found = measure(session.denoiser, session.head, prompt, any("chance" in goal.text for goal in goals))
    met = [goal.holds(found, question.runs) for goal in goals]
    return {"measures": found | compared(goals, found, question.runs), "met": met}


async def answer(session: Session, question: Question) -> dict[str, Any]:
    """The answer to a question about a run."""
    match question:
        case Clash():
            return await clash(session, question)
        case Paid():
            return await parallel_costs(session)
        case Why():
            return await why(session, question)
        case Layers():
            return await layers(session, question)
        case Validity():
            return await valid(session, question)
        case Goals():
            return await goals(session, question)
        case _:
            assert_never(question)


async def _baseline(session: Session, node: Node) -> Baseline:
    """The baseline of a moment, computed once: each further question then costs one forward."""
    if (known := _BASELINES.get(session)) is not None and known.node is node:
        return known
    denoiser, state = session.denoiser, node.state
    (belief,) = await _on_device(session, partial(infer, denoiser, [state], [True]))
    cells = np.flatnonzero(state.canvas.open & belief.known)
    alone = await _on_device(session, partial(log_likelihoods, denoiser, state, cells, belief.token))
    baseline = _BASELINES[session] = Baseline(node, belief, alone)
    return baseline


def _uncertain(state: State, belief: Belief, coming: Ints, most: int) -> Ints:
    """Up to `most` other guesses that are not certain, the likeliest first; guesses of an end of text are left out."""
    other = state.canvas.open & belief.known & (belief.confidence < CERTAIN)
    other &= ~np.isin(belief.token, belief.ends)
    other[coming] = False
    cells = np.flatnonzero(other)
    return cells[np.argsort(-belief.confidence[cells], kind="stable")][: min(max(most, 0), ROWS)]


async def _on_device(session: Session, work: Callable[[], T]) -> T:
    """Run some work on the device, in turns with the runs of all visitors and this session's own."""
    client = _CLIENTS.setdefault(session, Client(f"lenses of {session.id}", visitor=session.client.visitor))
    return await session.device.run(work, client)


def _moment(session: Session, at: int) -> Node:
    return session.head if at == -1 else session.head.ancestor(at)


def _cell(node: Node, cell: int) -> int:
    if not 0 <= cell < len(node.canvas):
        raise InvalidRequest(f"there is no cell {cell}: the canvas has {len(node.canvas)}, counted from 0", "cell")
    return cell


def _spaced(node: Node) -> list[Node]:
    """At most `MOST_PASSES` moments after a pass up to this one, evenly spaced, the newest included."""
    path = [one for one in node.path() if one.frame is not None or one.parent is None]
    return path[::-1][:: -(-len(path) // MOST_PASSES)][::-1]


def _passes(session: Session) -> list[tuple[State, Node]]:
    """Each pass of the current branch, with the state before it."""
    return [
        (node.parent.state, node) for node in session.head.path() if node.frame is not None and node.parent is not None
    ]


def _rounded(row: Floats) -> list[float | None]:
    """Rounded for JSON; None for NaN and infinity."""
    return [None if not np.isfinite(x) else round(float(x), 6) for x in row]


class LensAnswers(Answers):
    """Answers only the last question of each kind: a pointer that moves over the cells asks about each."""

    kinds = latest = frozenset(QUESTIONS.kinds)

    async def answer(self, row: Mapping[str, Any]) -> None:
        """A lens uses the device, so it needs the right to steer."""
        question = QUESTIONS.read(row)
        session = self.visit.follower(question.session, Permission.STEER).session
        await self.visit.send(await answer(session, question) | {"session": session.id} | numbers(row))
