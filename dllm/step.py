"""One step of decoding. Pure: no model, no clock, no I/O, no hidden state."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dllm import schedule
from dllm.belief import Belief, luck, noisy
from dllm.canvas import NOTHING, Bools, Canvas, Floats
from dllm.policies import Choice, Reason, View, named
from dllm.settings import Settings

NO_CELLS = np.empty(0, np.int32)
CANDIDATES = 5  # kept for every pass, so that an inspector works at any of them
PATIENCE = 32  # passes per cell of a block beyond its plan, after which the rest is written: so every run ends


@dataclass(frozen=True, eq=False)
class State:
    """Everything needed to go on from here, and nothing else."""

    canvas: Canvas
    settings: Settings
    step: int = 0
    block: int = 0
    block_began: int = 0  # the step at which the present block's plan started
    memory: Any = None  # what the policy chose to remember
    seen: Canvas | None = None  # what the last thought looked at, for policies that ask what moved
    lingers: bool = False  # the policy wants another look though nothing is open
    carry: Any = None  # what the denoiser needs from its last thought (self-conditioning), never its caches

    @property
    def done(self) -> bool:
        return not self.lingers and not self.canvas.open.any()

    @property
    def turn(self) -> int:
        """Passes spent in the present block."""
        return self.step - self.block_began

    @property
    def turns(self) -> int:
        """Passes planned for the present block."""
        if self.settings.passes_for == "block":
            return self.settings.passes
        return max(1, self.settings.passes // self.blocks)

    @property
    def blocks(self) -> int:
        """How many blocks hold answer cells; between given texts some may hold none."""
        if not self.settings.block:
            return 1
        held = (np.flatnonzero(self.canvas.answer) - self._bounds(0)[0]) // self.settings.block
        return max(1, int(np.count_nonzero(np.diff(held))) + 1)

    @cached_property
    def bounds(self) -> tuple[int, int]:
        """The present block, from its first cell to the one behind its last."""
        return self._bounds(self.block)

    @property
    def sight(self) -> int:
        """How many cells the model sees."""
        return self.bounds[1] if self.settings.sight == "block" else len(self.canvas)

    @property
    def temperature(self) -> float:
        """The temperature of this pass."""
        s = self.settings
        if s.temperature_end is None:
            return s.temperature
        # passes left, this one counted: DiffusionGemma's clock, in its float32, since its canvas is a feedback loop
        left = np.float32(max(self.turns - self.turn, 1)) / np.float32(self.turns)
        return float(np.float32(s.temperature_end) + np.float32(s.temperature - s.temperature_end) * left)

    def block_of(self, cell: int) -> int:
        """The block that holds a cell."""
        size = self.settings.block
        return max(0, (cell - self._bounds(0)[0]) // size) if size else 0

    def _bounds(self, block: int) -> tuple[int, int]:
        size, start, length = self.settings.block, self.canvas.origin, len(self.canvas)
        if not size:
            return start, length
        if self.settings.block_from == "sequence":
            start = start // size * size
        return min(start + block * size, length), min(start + (block + 1) * size, length)


@dataclass(frozen=True, eq=False)
class Frame:
    """What happened in one pass: enough to draw it, explain it and replay it. Small types, since every pass is kept."""

    step: int
    block: int
    turn: int
    quota: int
    cost: int  # forward passes spent
    open: int  # cells still open afterwards
    done: bool
    cells: NDArray[np.int32]  # [n] written in this pass, in order
    tokens: NDArray[np.int32]  # [n]
    was: NDArray[np.int32]  # [n] what stood there before; NOTHING if it was open
    confidence: NDArray[np.float32]  # [n]
    why: tuple[tuple[str, tuple[int, ...], tuple[float, ...]], ...]  # sentence, cells, a number per cell
    erased: NDArray[np.int32]  # [m] taken back in this pass
    noise: NDArray[np.int32]  # [L] what open cells hold where the model has no mask; else empty
    guess: NDArray[np.int32]  # [L] the likeliest token where the model was asked; NOTHING elsewhere
    sure: NDArray[np.uint8]  # [L] its probability, in 255ths
    entropy: NDArray[np.uint8]  # [L] in 32nds of a nat, at most 255
    margin: NDArray[np.uint8]  # [L] in 255ths
    top_ids: NDArray[np.int32]  # [L, K]
    top_probs: NDArray[np.uint8]  # [L, K] in 255ths
    stale: NDArray[np.uint8]  # [L] passes since an approximate cache saw the cell; empty where nothing is approximate

    def same(self, other: Frame) -> bool:
        """Equal in everything."""
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in pairs)


def start(canvas: Canvas, settings: Settings) -> State:
    """The state before the first pass."""
    state = State(noisy(canvas, settings.seed, 0, settings.noise), settings)
    return replace(state, block=_next_block(state))


def look(state: State, belief: Belief) -> View:
    """What the policy sees of a state."""
    canvas, (begins, ends), s = state.canvas, state.bounds, state.settings
    block = np.zeros(len(canvas), bool)
    block[begins:ends] = True
    still_open = canvas.open.copy()
    still_open[ends:] = False
    count, turns = int(np.count_nonzero(still_open)), state.turns
    return View(
        belief=belief,
        canvas=canvas,
        eligible=still_open & belief.known,
        block=block,
        quota=schedule.quota(s.schedule, count, state.turn, turns, s.bend, s.shares),
        turn=state.turn,
        turns=turns,
        luck=lambda use: luck(s.seed, state.step, canvas.ids, use),
        memory=state.memory,
    )


def step(state: State, belief: Belief) -> tuple[State, Frame]:
    """Ask the policy where, take from the belief what, and say what happened."""
    canvas, view = state.canvas, look(state, belief)
    choice = _lawful(state, belief, view)
    token = belief.top_ids[:, 0] if choice.settle else belief.token
    after = canvas.write(choice.write, token)
    if choice.erase is not None:
        after = after.erase(choice.erase)
    after, closing = _early_stop(state, after, belief, lingers=choice.stay and not choice.settle)
    nxt = _advance(state, after, choice, belief)
    wrote, erased, why = choice.write, choice.erase, choice.why
    if closing is not None:
        wrote, why = wrote | closing, (*why, Reason(closing, "after the end of the text"))
        erased = None if erased is None else erased & ~closing
    cells, still_open = wrote.nonzero()[0], int(np.count_nonzero(after.open))
    tokens = after.tokens[cells]
    # the probability of what was written, be it the proposal or the likeliest token
    confidence = np.where(tokens == belief.token[cells], belief.confidence[cells], belief.top_probs[cells, 0])
    if closing is not None:
        confidence[closing[cells]] = 1.0
    top_ids, top_probs = belief.top_ids[:, :CANDIDATES].astype(np.int32), _bytes(belief.top_probs[:, :CANDIDATES])
    frame = Frame(
        step=state.step,
        block=state.block,
        turn=state.turn,
        quota=view.quota,
        cost=belief.cost,
        open=still_open,
        done=not still_open and not nxt.lingers,
        cells=cells.astype(np.int32),
        tokens=tokens.astype(np.int32),
        was=np.where(canvas.open, NOTHING, canvas.tokens)[cells].astype(np.int32),
        confidence=confidence.round(4).astype(np.float32),
        why=tuple(_spell(reason) for reason in why if reason.where.any()),
        erased=NO_CELLS if erased is None else np.flatnonzero(erased).astype(np.int32),
        noise=nxt.canvas.tokens.astype(np.int32) if state.settings.noise else NO_CELLS,
        guess=top_ids[:, 0],
        sure=top_probs[:, 0],
        entropy=np.minimum(belief.entropy * 32, 255).astype(np.uint8),
        margin=_bytes(belief.margin),
        top_ids=top_ids,
        top_probs=top_probs,
        stale=belief.stale,
    )
    return nxt, frame


def _lawful(state: State, belief: Belief, view: View) -> Choice:
    """The policy's choice, held to the laws: nobody writes the prompt, a pin, or a cell nobody thought about."""
    begins, ends = state.bounds
    free = state.canvas.free & belief.known
    if state.turn >= state.turns + PATIENCE * max(ends - begins, 1):
        rest = state.canvas.open & free
        return Choice(rest, why=(Reason(rest, "forced: this block has gone on too long"),))
    choice = named(state.settings.policy).decide(view, **state.settings.options)
    write = choice.write & free
    erase = None if choice.erase is None else choice.erase & free & ~write & ~state.canvas.open
    why = choice.why or (Reason(write, "at confidence {}", belief.confidence),)
    return Choice(write, erase, choice.memory, why, choice.stay, choice.settle)


def _early_stop(state: State, canvas: Canvas, belief: Belief, lingers: bool) -> tuple[Canvas, Bools | None]:
    """Where the text has ended and all before the end is decided, the rest is end of text too; and which cells are."""
    # while the policy wants another look at what it wrote, an end of text is a guess like any other
    if state.settings.end != "stop" or lingers or not canvas.open.any():
        return canvas, None
    settled = slice(canvas.origin, int(canvas.open.argmax()))  # an end counts where nothing before it is open
    for end in canvas.tokens[settled][~canvas.given[settled]].tolist():
        if end in belief.ends:
            return canvas.write(canvas.open, np.full(len(canvas), end)), canvas.open
    return canvas, None


def _advance(state: State, canvas: Canvas, choice: Choice, belief: Belief) -> State:
    """The next state: the same block, or the first one further on that has an open cell."""
    lingers = choice.stay and not choice.settle
    following = State(
        noisy(canvas, state.settings.seed, state.step + 1, state.settings.noise),
        state.settings,
        state.step + 1,
        state.block,
        state.block_began,
        choice.memory,
        state.canvas,
        lingers,
        belief.carry,
    )
    if lingers or canvas.open[: state.bounds[1]].any():
        return following
    return replace(following, block=_next_block(following), block_began=following.step)


def _next_block(state: State) -> int:
    """The block of the leftmost open cell; the present one when nothing is open."""
    still_open = state.canvas.open
    return state.block_of(int(np.argmax(still_open))) if still_open.any() else state.block


def _spell(reason: Reason) -> tuple[str, tuple[int, ...], tuple[float, ...]]:
    cells = reason.where.nonzero()[0]
    if reason.number is None:
        return reason.words, tuple(cells.tolist()), ()
    numbers = tuple(round(x, 4) if isfinite(x) else 0.0 for x in np.asarray(reason.number, float)[cells].tolist())
    return reason.words, tuple(cells.tolist()), numbers


def _bytes(shares: Floats) -> NDArray[np.uint8]:
    return np.rint(shares * 255).astype(np.uint8)
