"""The one loop: think, step, again. A run as it is computed, or lived once more from its beginning and its edits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from unmask.belief import Belief
from unmask.canvas import Card
from unmask.errors import OutOfMemory
from unmask.inference import DistributionCache, infer
from unmask.inference.memory import free_caches, is_oom
from unmask.models import Denoiser
from unmask.run.edit import apply
from unmask.run.frame import Frame
from unmask.run.free_length import resize_requests
from unmask.run.state import State, start
from unmask.run.step import step
from unmask.run.timeline import Node, Timeline


def advance(card: Card, node: Node, belief: Belief, thinking: float, clock: float) -> list[Node]:
    """The moment after a pass, from what was believed, and those in which cells came or went by the model's wish.

    `thinking` and `clock` are seconds of device time."""
    began = time.perf_counter()
    state, frame = step(node.state, belief)
    other = time.perf_counter() - began
    made = [node.child(state, frame, times=(1000 * thinking, 1000 * other, 1000 * clock))]
    for option in resize_requests(card, state, frame):
        state = apply(state, option)
        made.append(made[-1].child(state, edit=option))
    return made


def run_passes(denoiser: Denoiser, node: Node, watched: bool = False) -> Iterator[tuple[list[Node], Any]]:
    """Every pass to the end, each with the wishes that followed it, and what the model wants to see again."""
    distribution_cache, carry, clock = DistributionCache(), node.state.carry, node.times[2] / 1000
    while not node.state.done:
        began = time.perf_counter()
        state = node.state if carry is None else replace(node.state, carry=carry)
        belief = infer_with_oom_retry(denoiser, state, watched, distribution_cache)
        spent = time.perf_counter() - began
        clock += spent
        made = advance(denoiser.card, node, belief, spent, clock)
        node, carry = made[-1], belief.carry if len(made) == 1 else None
        yield made, carry


def infer_with_oom_retry(
    denoiser: Denoiser, state: State, watched: bool, distribution_cache: DistributionCache
) -> Belief:
    """A belief; where memory runs out, once more without caches and for the cells alone that are needed."""
    try:
        return infer(denoiser, [state], [watched], [distribution_cache])[0]
    except (RuntimeError, MemoryError) as error:
        if not is_oom(error):
            raise
        error.__traceback__ = None  # it holds what was being worked out
    free_caches(denoiser)
    try:
        return infer(denoiser, [state], [False], [distribution_cache])[0]
    except (RuntimeError, MemoryError) as error:
        if not is_oom(error):
            raise
        raise OutOfMemory(len(state.canvas)) from None


def decode(denoiser: Denoiser, state: State, watched: bool = False) -> Iterator[tuple[State, Frame]]:
    """Every pass to the end, for those who do not look at the clock; each with the state that its wishes led to."""
    for made, carry in run_passes(denoiser, Node(state), watched):
        assert made[0].frame is not None  # it was a pass
        yield replace(made[-1].state, carry=carry), made[0].frame


def nodes(denoiser: Denoiser, node: Node, watched: bool = False) -> Iterator[Node]:
    """The moments of a run from here to its end, each with its times."""
    for made, _ in run_passes(denoiser, node, watched):
        yield from made


def chunk(denoiser: Denoiser, state: State, passes: int, watched: bool = True) -> tuple[State, list[Frame]]:
    """So many passes in one call, for a host that lends its device by the call; the state travels, the model stays."""
    made = list(islice(decode(denoiser, state, watched), passes))
    return (made[-1][0] if made else state), [frame for _, frame in made]


def recompute(timeline: Timeline, infer_once: Callable[[State], Belief]) -> Timeline:
    """The same run from its beginning and its edits, branch by branch: after a restart, elsewhere, or to compare.

    `infer_once` is `infer` for one state."""
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
            again[id(node)], carries[id(node)] = before.child(state, edit=node.edit), state.carry
        else:
            belief = infer_once(state)
            state, frame = step(state, belief)
            again[id(node)], carries[id(node)] = before.child(state, frame), belief.carry
    heads = {name: again[id(node)] for name, node in timeline.heads.items()}
    return replace(timeline, heads=heads)
