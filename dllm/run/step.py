"""One step of decoding. Pure: no model, no clock, no I/O, no hidden state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.belief import Belief, fill_with_noise, random_draws
from unmask.canvas import NOTHING, Bools, Canvas, Floats, Ints
from unmask.decide import Choice, Policy, Reason, View, get_policy, schedule
from unmask.decide.interface import Aside
from unmask.errors import InvalidRequest
from unmask.run.frame import CANDIDATES, NO_CELLS, Frame
from unmask.run.resize import Resize
from unmask.run.state import State, next_block, start

MOST_ASKED = 16  # canvases that a policy may have inferred along with a pass
EXTRA_PASSES = 32  # passes per cell beyond the plan of a block, after which the rest is written, so that every run ends


def policy_view(state: State, belief: Belief) -> View:
    canvas, (begins, ends), s = state.canvas, state.bounds, state.settings
    block = np.zeros(len(canvas), bool)
    block[begins:ends] = True
    still_open = canvas.open.copy()
    still_open[ends:] = False
    count, turns = int(np.count_nonzero(still_open)), state.block_passes
    return View(
        belief=belief,
        canvas=canvas,
        eligible=still_open & belief.known,
        block=block,
        quota=schedule.quota(s.schedule, count, state.block_pass, turns, s.bend, s.shares),
        block_pass=state.block_pass,
        block_passes=turns,
        random_draws=lambda use: random_draws(s.seed, state.step, canvas.ids, use),
        memory=state.memory,
        verified=state.verified,
        aside=None if state.aside is None else Aside(state.aside.canvas, state.aside.memory),
        is_aside=state.is_aside,
        answers=belief.answers,
    )


def draws(state: State, belief: Belief) -> bool:
    """Whether a pass depends on the seed: it samples, it fills cells with noise, or its policy asks for a draw."""
    if state.temperature or state.settings.noise:
        return True
    view, uses = policy_view(state, belief), []

    def ask(use: int) -> Floats:
        uses.append(use)
        return view.random_draws(use)

    get_policy(state.settings.policy).decide(replace(view, random_draws=ask), **state.settings.options)
    return bool(uses)


def step(state: State, belief: Belief) -> tuple[State, Frame]:
    """The next state and the record of the pass: the policy decides where to write, the belief which tokens."""
    if state.inferred is not state:
        return _step_aside(state, belief)
    canvas, view = state.canvas, policy_view(state, belief)
    choice = _checked_choice(state, belief, view)
    token = _tokens(choice, belief)
    after = canvas.write(choice.write, token)
    if choice.erase is not None:
        after = after.erase(choice.erase)
    after, closing = _early_stop(state, after, belief, _another_pass(choice))
    nxt = _advance(state, after, choice, belief)
    wrote, erased, why = choice.write, choice.erase, choice.why
    if closing is not None:
        wrote, why = wrote | closing, (*why, Reason(closing, "after the end of the text"))
        erased = None if erased is None else erased & ~closing
    cells, still_open = wrote.nonzero()[0], int(np.count_nonzero(after.open))
    tokens = after.tokens[cells]
    # the probability of the written token, be it the proposal or the likeliest one
    confidence = np.where(tokens == belief.token[cells], belief.confidence[cells], belief.top_probs[cells, 0])
    if closing is not None:
        confidence[closing[cells]] = 1.0
    top_ids, top_probs = belief.top_ids[:, :CANDIDATES].astype(np.int32), _bytes(belief.top_probs[:, :CANDIDATES])
    frame = Frame(
        step=state.step,
        block=state.block,
        turn=state.block_pass,
        quota=view.quota,
        cost=belief.forwards,
        open=still_open,
        done=not still_open and not nxt.another_pass,
        cells=cells.astype(np.int32),
        tokens=tokens.astype(np.int32),
        was=np.where(canvas.open[cells], NOTHING, canvas.tokens[cells]).astype(np.int32),
        confidence=confidence.round(4).astype(np.float32),
        why=tuple(row for row in map(_reason_text, why) if row[1]),
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


def _step_aside(state: State, belief: Belief) -> tuple[State, Frame]:
    """A pass of the run aside: nothing is written here, and what stands there is shown in the cells that are open."""
    aside, frame = step(state.inferred, belief)
    aside = replace(aside, resize=None)  # a run aside keeps its length
    there, length = aside.canvas, len(state.canvas)
    here = np.isin(state.canvas.ids, there.ids) & state.canvas.open
    from_there = np.isin(there.ids, state.canvas.ids[here])

    def shown(values: Any, elsewhere: int = 0) -> Any:
        row = np.full((length, *values.shape[1:]), elsewhere, values.dtype)
        row[here] = values[from_there]
        return row

    nxt = replace(state, aside=aside, step=state.step + 1, seen=state.canvas, carry=belief.carry, another_pass=True)
    return nxt, Frame(
        step=state.step,
        block=state.block,
        turn=state.block_pass,
        quota=0,
        cost=frame.cost,
        open=int(np.count_nonzero(state.canvas.open)),
        done=False,
        cells=NO_CELLS,
        tokens=NO_CELLS,
        was=NO_CELLS,
        confidence=np.empty(0, np.float32),
        why=(),
        erased=NO_CELLS,
        noise=NO_CELLS,
        guess=shown(np.where(there.open, frame.guess, there.tokens).astype(np.int32), NOTHING),
        sure=shown(np.where(there.open, frame.sure, 255).astype(np.uint8)),
        entropy=shown(frame.entropy),
        margin=shown(frame.margin),
        top_ids=shown(frame.top_ids, NOTHING),
        top_probs=shown(frame.top_probs),
        stale=np.empty(0, np.uint8),
    )


def _tokens(choice: Choice, belief: Belief) -> Ints:
    """The token that each cell gets if it is written."""
    tokens = choice.tokens
    if tokens is None:
        tokens = belief.top_ids[:, 0] if choice.settle else belief.token
    return tokens if choice.skip is None else np.where(choice.skip, belief.skips[0], tokens)


def _checked_choice(state: State, belief: Belief, view: View) -> Choice:
    """The policy's choice, restricted to cells that are free and were computed: never the prompt or a pin."""
    begins, ends = state.bounds
    free = state.canvas.free & belief.known
    if state.block_pass >= state.block_passes + EXTRA_PASSES * max(ends - begins, 1):
        rest = state.canvas.open & free
        forced = Choice(rest, why=(Reason(rest, "forced: this block has gone on too long"),))
        return _drop_incompatible(state.canvas, belief, forced)
    policy = get_policy(state.settings.policy)
    choice = policy.decide(view, **state.settings.options)
    if choice.tokens is not None:
        free = state.canvas.free
    write, filled = choice.write & free, ~state.canvas.open
    erase = None if choice.erase is None else choice.erase & free & ~write & filled
    if not policy.revises and (np.count_nonzero(write & filled) or (erase is not None and np.count_nonzero(erase))):
        raise InvalidRequest(f"the policy '{policy.name}' takes back what it wrote: its file must say `revises = True`")
    if choice.verify is not None and not policy.needs.verify:
        raise InvalidRequest(
            f"the policy '{policy.name}' verifies cells: its file must say `needs = Needs(verify=True)`"
        )
    skip = None if choice.skip is None or not belief.skips else choice.skip & free
    if skip is not None:
        write = write | skip
        erase = None if erase is None else erase & ~skip
    why = choice.why or (Reason(write, "at confidence {}", belief.confidence),)
    insert, delete = _checked_resize(state, belief, policy, choice) or (None, None)
    _check_ask(state.canvas, policy, choice.ask)
    lawful = replace(choice, write=write, erase=erase, why=why, skip=skip, insert=insert, delete=delete)
    return _drop_incompatible(state.canvas, belief, lawful)


def _checked_resize(state: State, belief: Belief, policy: Policy, choice: Choice) -> Resize | None:
    """The cells that come and go: beside or among free cells, not under a rule, and not for ever."""
    if choice.insert is None and choice.delete is None:
        return None
    if not policy.resizes:
        raise InvalidRequest(f"the policy '{policy.name}' changes the length: its file must say `resizes = True`")
    canvas, length = state.canvas, len(state.canvas)
    insert = np.zeros(length + 1, np.int64) if choice.insert is None else np.asarray(choice.insert, np.int64)
    delete = np.zeros(length, bool) if choice.delete is None else np.asarray(choice.delete, bool)
    if insert.shape != (length + 1,) or delete.shape != (length,) or insert.min() < 0:
        raise InvalidRequest(
            f"the policy '{policy.name}' must give a count from 0 on for each cell and the end to `insert`, and True "
            "or False for each cell to `delete`"
        )
    if belief.constraint is not None or state.block_pass >= state.block_passes + EXTRA_PASSES:
        return None
    insert = np.where(np.append(canvas.free, False) | np.append(False, canvas.free), insert, 0)
    delete = delete & canvas.free
    gap = canvas.open & ~choice.write  # a text is sent as far as no cell is open
    behind_no_gap = ~np.append(np.logical_or.accumulate(gap), True)
    if not policy.revises and ((delete & ~gap).any() or (insert.astype(bool) & behind_no_gap).any()):
        raise InvalidRequest(f"the policy '{policy.name}' moves what it wrote: its file must say `revises = True`")
    return (insert, delete) if insert.any() or delete.any() else None


def _check_ask(canvas: Canvas, policy: Policy, ask: Sequence[Canvas]) -> None:
    if len(ask) > MOST_ASKED:
        raise InvalidRequest(f"the policy '{policy.name}' asks about {len(ask)} canvases; {MOST_ASKED} are allowed")
    if any(len(other) != len(canvas) for other in ask):
        raise InvalidRequest(
            f"the policy '{policy.name}' asks about a canvas of another length than {len(canvas)} cells"
        )


def _drop_incompatible(canvas: Canvas, belief: Belief, choice: Choice) -> Choice:
    """The choice without tokens that the constraint allows alone but not together; the surest are kept."""
    if belief.constraint is None:
        return choice
    tokens, sure = _tokens(choice, belief), belief.confidence
    if choice.verify is not None:  # a draft's first token counts for more than all others, and so on
        sure = 0.25 ** (np.arange(len(canvas)) - float(choice.write.argmax())).clip(0, 500)
    write = belief.constraint.compatible_writes(canvas, choice.write, choice.erase, tokens, sure)
    left_out = choice.write & ~write
    if not left_out.any():
        return choice
    verify = choice.verify
    if verify is not None:  # it is verified from left to right, so it ends at the first cell without a token
        before = np.arange(len(canvas)) < int(left_out.argmax())
        write, verify = write & before, verify & before
        left_out = choice.write & ~write
    why = tuple(replace(reason, where=reason.where & ~left_out) for reason in choice.why)
    return replace(choice, write=write, why=why, verify=verify)


def _early_stop(state: State, canvas: Canvas, belief: Belief, another_pass: bool) -> tuple[Canvas, Bools | None]:
    """With `end` = "stop": fill the cells after a final EOS token with EOS. Returns the canvas and the filled cells."""
    # while the policy requests another pass, an EOS token may still be replaced
    if state.settings.end != "stop" or another_pass or not np.count_nonzero(canvas.open):
        return canvas, None
    settled = slice(canvas.origin, int(canvas.open.argmax()))  # EOS counts only if no cell before it is open
    for end in canvas.tokens[settled][~canvas.given[settled]].tolist():
        if end in belief.ends:
            return canvas.write(canvas.open, np.full(len(canvas), end)), canvas.open
    return canvas, None


def _advance(state: State, canvas: Canvas, choice: Choice, belief: Belief) -> State:
    """The next state: the same block, or the first one further on that has an open cell."""
    another_pass = _another_pass(choice)
    # a constraint may have left some of them open, with no token to verify
    verify = None if choice.verify is None else canvas.ids[choice.verify & ~canvas.open]
    following = State(
        fill_with_noise(canvas, state.settings.seed, state.step + 1, state.settings.noise),
        state.settings,
        state.step + 1,
        state.block,
        state.block_began,
        choice.memory,
        state.canvas,
        another_pass,
        belief.carry,
        verify,
        state.avoid,
        findings=state.findings,
        is_aside=state.is_aside,
        resize=None if choice.insert is None or choice.delete is None else (choice.insert, choice.delete),
        next_id=state.next_id,
        ask=choice.ask,
    )
    if choice.aside is not None:
        aside = start(choice.aside, replace(state.settings, constraint={}))
        return replace(following, another_pass=True, aside=replace(aside, is_aside=True))
    if another_pass or np.count_nonzero(canvas.open[: state.bounds[1]]):
        return following
    kept = choice.memory if get_policy(state.settings.policy).needs.memory == "run" else None
    return replace(following, block=next_block(following), block_began=following.step, memory=kept)


def _another_pass(choice: Choice) -> bool:
    """Whether a pass follows in this block even if nothing is open: where cells come in, something will be."""
    grows = choice.insert is not None and bool(choice.insert.any())
    return (choice.stay or grows) and not choice.settle


def _reason_text(reason: Reason) -> tuple[str, tuple[int, ...], tuple[float, ...]]:
    cells = reason.where.nonzero()[0]
    if reason.number is None:
        return reason.words, tuple(cells.tolist()), ()
    numbers = tuple(round(x, 4) if isfinite(x) else 0.0 for x in np.asarray(reason.number, float)[cells].tolist())
    return reason.words, tuple(cells.tolist()), numbers


def _bytes(shares: Floats) -> NDArray[np.uint8]:
    return np.rint(shares * 255).astype(np.uint8)
