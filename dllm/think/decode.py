"""The one loop: think, step, again. A run as it is computed, or lived once more from its beginning and its edits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from dllm.belief import Belief
from dllm.models import Denoiser
from dllm.run.edit import apply
from dllm.run.frame import Frame
from dllm.run.state import State, start
from dllm.run.step import step
from dllm.run.timeline import Node, Timeline
from dllm.think import Recall, think
from dllm.think.shortage import NoRoom, full, make_room


def advanced(node: Node, belief: Belief, thinking: float, clock: float) -> Node:
    """The moment after a pass, from what was believed. `thinking` and `clock` are seconds of device time."""
    began = time.perf_counter()
    state, frame = step(node.state, belief)
    other = time.perf_counter() - began
    return node.then(state, frame, times=(1000 * thinking, 1000 * other, 1000 * clock))


def passes(denoiser: Denoiser, state: State, watched: bool = False) -> Iterator[tuple[State, Frame, float, float]]:
    """Every pass to the end: the state and the frame it made, and the seconds that thinking and the rest took."""
    recall = Recall()
    while not state.done:
        began = time.perf_counter()
        belief = spared(denoiser, state, watched, recall)
        thought = time.perf_counter()
        state, frame = step(state, belief)
        yield state, frame, thought - began, time.perf_counter() - thought


def spared(denoiser: Denoiser, state: State, watched: bool, recall: Recall) -> Belief:
    """A belief; where memory runs out, once more without caches and for the cells alone that are needed."""
    try:
        return think(denoiser, [state], [watched], [recall])[0]
    except (RuntimeError, MemoryError) as error:
        if not full(error):
            raise
        error.__traceback__ = None  # it holds what was being worked out
    make_room(denoiser)
    try:
        return think(denoiser, [state], [False], [recall])[0]
    except (RuntimeError, MemoryError) as error:
        if not full(error):
            raise
        raise NoRoom(len(state.canvas)) from None


def decode(denoiser: Denoiser, state: State, watched: bool = False) -> Iterator[tuple[State, Frame]]:
    """Every pass to the end, for those who do not look at the clock."""
    for after, frame, _, _ in passes(denoiser, state, watched):
        yield after, frame


def nodes(denoiser: Denoiser, node: Node, watched: bool = False) -> Iterator[Node]:
    """The moments of a run from here to its end, each with its times."""
    clock = node.times[2]
    for state, frame, thinking, other in passes(denoiser, node.state, watched):
        clock += 1000 * thinking
        node = node.then(state, frame, times=(1000 * thinking, 1000 * other, clock))
        yield node


def chunk(denoiser: Denoiser, state: State, passes: int, watched: bool = True) -> tuple[State, list[Frame]]:
    """So many passes in one call, for a host that lends its device by the call; the state travels, the model stays."""
    made = list(islice(decode(denoiser, state, watched), passes))
    return (made[-1][0] if made else state), [frame for _, frame in made]


def relived(timeline: Timeline, think_once: Callable[[State], Belief]) -> Timeline:
    """The same run from its beginning and its edits, branch by branch: after a restart, elsewhere, or to compare.

    `think_once` is `think` for one state."""
    words = int(timeline.about["words"])
    again: dict[int, Node] = {}
    carries: dict[int, Any] = {}  # what a model wants to see again, for each moment
    for node in timeline.nodes():
        if node.parent is None:
            again[id(node)] = Node(start(node.canvas, node.settings))
            continue
        before = again[id(node.parent)]
        state = replace(before.state, carry=carries.get(id(node.parent)))
        if node.edit is not None:
            state = apply(state, node.edit, words)
            again[id(node)], carries[id(node)] = before.then(state, edit=node.edit), state.carry
        else:
            belief = think_once(state)
            state, frame = step(state, belief)
            again[id(node)], carries[id(node)] = before.then(state, frame), belief.carry
    heads = {name: again[id(node)] for name, node in timeline.heads.items()}
    return replace(timeline, heads=heads)
