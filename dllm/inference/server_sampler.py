"""The decoder of a server itself, watched from outside: the same canvas is asked for after one pass, after two, …

A server returns its canvas after a given number of passes. With one seed that is the same run each time, cut off
later: put together, the answers are a recording. What it had decided is not sent: a cell counts as written from the
pass on after which its token no longer changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unmask.canvas import NOTHING, blank
from unmask.errors import ModelError
from unmask.models.attach import Attached, Read
from unmask.run.frame import CANDIDATES, NO_CELLS, Frame
from unmask.run.settings import Settings
from unmask.run.state import State, start
from unmask.run.timeline import Timeline, new_timeline, with_pieces

MOST_PASSES = 256
NOTE = "By the server's own decoder: a word counts as written from the look on after which it no longer changed."


def watch(
    denoiser: Attached, prompt: str, length: int, seed: int = 0, tell: Callable[[int], None] = lambda passes: None
) -> Timeline:
    """A recording of a server's own decoder; a ModelError where it is not repeatable. `tell` hears of each pass."""
    tokens = denoiser.tokenizer.encode_prompt(prompt)
    cells = min(length, denoiser.width)
    ends = denoiser.run(tokens, cells, seed)
    reads: list[Read] = []
    # vLLM decides at least one cell of a masked canvas in each pass
    most = min(MOST_PASSES, denoiser.width + 2) if denoiser.mask is not None and denoiser.steps > 1 else MOST_PASSES
    for passes in range(1, most + 1):
        reads.append(denoiser.after_passes(tokens, cells, seed, passes))
        tell(passes)
        if passes == 1 and not np.array_equal(
            reads[0].tokens, denoiser.after_passes(tokens, cells, seed, passes).tokens
        ):
            raise ModelError(f"{denoiser.server.name} does not repeat a run: its own decoder cannot be watched")
        if len(reads) >= 2 and all(np.array_equal(read.tokens, ends) for read in reads[-2:]):
            break
    else:
        raise ModelError(f"{denoiser.server.name} had not finished after {most} passes, or does not repeat a run")
    return _recording(denoiser, prompt, tokens, reads[:-1], seed)


def _recording(denoiser: Attached, prompt: str, given: Sequence[int], reads: Sequence[Read], seed: int) -> Timeline:
    """The reads as a run: each cell is written in the pass after which its token no longer changed."""
    card = replace(
        denoiser.card,
        note=NOTE,
        noise=False,
        # it cannot be computed again pass by pass, so a person who touches it begins a run of their own
        weights=f"{denoiser.card.weights}, its own decoder",
        preset={},
    )
    table = np.array([read.tokens for read in reads])
    changed = table[1:] != table[:-1]
    # the first pass from which on a cell holds what it holds in the end
    settled = np.where(changed.any(0), len(reads) - 1 - changed[::-1].argmax(0), 0)
    settings = Settings().with_changes({"policy": "confidence", "passes": len(reads)})
    state = start(blank([list(given), table.shape[1]]), replace(settings, seed=seed))
    timeline = new_timeline(card, state, prompt)
    clock = 0.0
    for number, read in enumerate(reads):
        fresh = np.flatnonzero(settled == number) + len(given)
        state, frame = _pass(state, read, number, fresh, done=number == len(reads) - 1)
        clock += 1000 * read.seconds / (number + 1)  # each read repeats the passes before it
        times = (1000 * read.seconds / (number + 1), 1000 * read.network, clock)
        timeline = timeline.append(timeline.head.child(state, frame, times=times))
    return with_pieces(timeline, denoiser.tokenizer)


def _pass(state: State, read: Read, number: int, fresh: np.ndarray, done: bool) -> tuple[State, Frame]:
    """The state after a pass, and its record."""
    canvas, origin, cells = state.canvas, state.canvas.origin, len(state.canvas)
    probs = np.exp(read.logprobs.astype(np.float64))
    order = np.argsort(-probs, axis=1, kind="stable")[:, :CANDIDATES]
    best = np.take_along_axis(probs, order, 1)
    ids, shares = np.full((cells, CANDIDATES), NOTHING, np.int32), np.zeros((cells, CANDIDATES))
    ids[origin:], shares[origin:] = order, best
    entropy = np.zeros(cells)
    entropy[origin:] = -(probs * read.logprobs).sum(1)
    where, tokens = np.zeros(cells, bool), canvas.tokens.copy()
    where[fresh] = True
    tokens[origin:] = read.tokens
    after = canvas.write(where, tokens)
    frame = Frame(
        step=number,
        block=0,
        turn=number,
        quota=len(fresh),
        cost=1,
        open=int(np.count_nonzero(after.open)),
        done=done,
        cells=fresh.astype(np.int32),
        tokens=tokens[fresh].astype(np.int32),
        was=np.full(len(fresh), NOTHING, np.int32),
        confidence=_probability(probs, tokens[fresh], fresh - origin),
        why=(("the server's own decoder: it no longer changed", tuple(fresh.tolist()), ()),) if len(fresh) else (),
        erased=NO_CELLS,
        noise=NO_CELLS,
        guess=ids[:, 0],
        sure=_bytes(shares[:, 0]),
        entropy=np.minimum(entropy * 32, 255).astype(np.uint8),
        margin=_bytes(shares[:, 0] - shares[:, 1]),
        top_ids=ids,
        top_probs=_bytes(shares),
        stale=np.empty(0, np.uint8),
    )
    return replace(state, canvas=after, step=number + 1), frame


def _probability(probs: np.ndarray, tokens: np.ndarray, rows: np.ndarray) -> Any:
    return probs[rows, tokens].clip(0, 1).round(4).astype(np.float32)


def _bytes(shares: np.ndarray) -> Any:
    return np.rint(shares.clip(0, 1) * 255).astype(np.uint8)
