"""The decoding loop: infer, step, repeat. Also recomputes a recorded run from its first state and its edits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from unmask.belief import Belief
from unmask.canvas import Card
from unmask.inference import DistributionCache, infer
from unmask.inference.checker_of import checker_of
from unmask.inference.memory import with_retry
from unmask.inference.provenance import provenance
from unmask.models import Denoiser
from unmask.run.check import CheckFunction
from unmask.run.checker import Checker
from unmask.run.command import Edit, Stretch
from unmask.run.edit import apply
from unmask.run.frame import Frame
from unmask.run.free_length import free_resize
from unmask.run.resize import stretches
from unmask.run.spec import RunSpec
from unmask.run.state import State, start
from unmask.run.step import step
from unmask.run.timeline import Node, Timeline, new_timeline


def advance(card: Card, node: Node, belief: Belief, infer_seconds: float, clock: float) -> list[Node]:
    """The node after a pass, then one node for each resize that the policy or the model requested.

    `infer_seconds` is the device time of this pass, `clock` that of the run so far."""
    began = time.perf_counter()
    state, frame = step(node.state, belief)
    step_seconds = time.perf_counter() - began + belief.network
    new = [node.child(state, frame, times=(1000 * infer_seconds, 1000 * step_seconds, 1000 * clock))]
    for edit in stretches(state.canvas, state.resize or free_resize(card, state, frame), card.longest):
        state = apply(state, edit)
        new.append(new[-1].child(state, edit=edit))
    return new


def timelines(
    denoiser: Denoiser,
    spec: RunSpec,
    watched: bool = False,
    edits: Iterable[tuple[int, Edit]] = (),
    checks: Sequence[CheckFunction] = (),
) -> Iterator[Timeline]:
    """The timeline of a new run at its start, and after each node; each edit leads to its moment. `checks` are
    functions that read along, beside those that the settings name."""
    state = spec.start(denoiser.card, denoiser.tokenizer)
    timeline = new_timeline(denoiser.card, state, spec.prompt, made=provenance())
    checker = checker_of(denoiser, checks)
    yield timeline
    for moment, edit in (*edits, (0, None)):
        if timeline.head.at + 1 != moment:
            for node in nodes(denoiser, timeline.head, watched, checker):
                timeline = timeline.append(node)
                yield timeline
                if node.at + 1 == moment:
                    break
        if edit is not None:
            state = apply(timeline.head.state, edit, denoiser.card.words)
            timeline = timeline.append(timeline.head.child(state, edit=edit))
            yield timeline


def run_passes(
    denoiser: Denoiser, node: Node, watched: bool = False, checker: Checker | None = None
) -> Iterator[tuple[list[Node], Any]]:
    """Yields, for every pass to the end, its node with those of the resizes and findings after it, and the model's
    carry; first those of the findings in a text that a person has changed since."""
    distribution_cache, carry, clock = DistributionCache(), node.state.carry, node.times[2] / 1000
    checker = checker or checker_of(denoiser)
    if found := checker.after(node) if node.state.done else []:
        node = found[-1]
        yield found, carry
    while not node.state.done:
        began = time.perf_counter()
        state = node.state if carry is None else replace(node.state, carry=carry)
        belief = with_retry(denoiser, len(state.canvas), partial(_infer, denoiser, state, watched, distribution_cache))
        spent = time.perf_counter() - began - belief.network
        clock += spent
        new = advance(denoiser.card, node, belief, spent, clock)
        resized = any(isinstance(one.edit, Stretch) for one in new)
        new += checker.after(new[-1])
        node, carry = new[-1], None if resized else belief.carry
        yield new, carry


def _infer(denoiser: Denoiser, state: State, watched: bool, kept: DistributionCache, retry: bool) -> Belief:
    return infer(denoiser, [state], [watched and not retry], [kept])[0]


def decode(denoiser: Denoiser, state: State, watched: bool = False) -> Iterator[tuple[State, Frame]]:
    """Yields the state after each pass, resizes included, and the frame of the pass, to the end of the run."""
    for new, carry in run_passes(denoiser, Node(state), watched):
        if new[0].frame is not None:  # it was a pass
            yield replace(new[-1].state, carry=carry), new[0].frame


def nodes(denoiser: Denoiser, node: Node, watched: bool = False, checker: Checker | None = None) -> Iterator[Node]:
    """The nodes of a run from here to its end, with their times."""
    for new, _ in run_passes(denoiser, node, watched, checker):
        yield from new


def recompute(timeline: Timeline, infer_once: Callable[[State], Belief]) -> Timeline:
    """Recomputes a run from its first state and its edits, branch by branch: after a restart, or to compare machines.

    `infer_once` is `infer` for one state."""
    words = int(timeline.about["words"])
    recomputed: dict[int, Node] = {}
    carries: dict[int, Any] = {}  # the model's carry after each node
    for node in timeline.nodes():
        if node.parent is None:
            recomputed[id(node)] = Node(start(node.canvas, node.settings))
            continue
        before = recomputed[id(node.parent)]
        state = replace(before.state, carry=carries.get(id(node.parent)))
        if node.edit is not None:
            state = apply(state, node.edit, words)
            recomputed[id(node)], carries[id(node)] = before.child(state, edit=node.edit), state.carry
        else:
            belief = infer_once(state)
            state, frame = step(state, belief)
            recomputed[id(node)], carries[id(node)] = before.child(state, frame), belief.carry
    heads = {name: recomputed[id(node)] for name, node in timeline.heads.items()}
    return replace(timeline, heads=heads)
