"""A step is pure: held to the laws, stopped early where asked, and the same whenever it is made again."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support import PROMPT, begin, run
from unmask.canvas import Canvas, blank
from unmask.decide import Choice, View
from unmask.inference import infer
from unmask.models.toy import Toy
from unmask.run.codec import replay_frame
from unmask.run.command import Erase, Pin, Tune
from unmask.run.edit import apply
from unmask.run.settings import Settings
from unmask.run.state import State, start
from unmask.run.step import EXTRA_PASSES, step

TOY = Toy(seed=1)


class Ending(Toy):
    """A toy whose token 9 ends a text."""

    def __init__(self, seed: int = 1, eager: float = 4.0) -> None:
        super().__init__(seed=seed)
        self.card = replace(self.card, ends=(9,))
        self.eager = eager

    def hashed_logits(self, tokens: Any) -> Any:
        logits = super().hashed_logits(tokens)
        logits[:, 9] += self.eager
        return logits


def rules(monkeypatch: pytest.MonkeyPatch, decide: Any) -> None:
    """Let a run be decided by this function."""
    from unmask.run import step as module

    real = module.get_policy
    monkeypatch.setattr(module, "get_policy", lambda name: replace(real(name), decide=lambda view, **_: decide(view)))


def test_nobody_writes_the_prompt_a_pin_or_what_nobody_thought_about(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = np.ones(13, bool)
    rules(monkeypatch, lambda view: Choice(everything, everything))
    state = start(blank([PROMPT, 8]).pin([7], [2]), Settings(block=4, block_from="sequence", sight="block"))
    after, frame = step(state, *infer(TOY, [state]))
    assert frame.cells.tolist() == [5, 6]  # the block's end is cell 8, and 7 is pinned
    assert not frame.erased.size
    assert after.canvas.open[8:].all()


def test_a_policy_that_never_writes_still_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    rules(monkeypatch, lambda view: Choice(np.zeros(len(view.canvas), bool)))
    frames = [frame for _, frame in run(TOY, begin(cells=3, passes=2))]
    assert len(frames) == 2 + EXTRA_PASSES * 3 + 1
    assert "gone on too long" in frames[-1].why[0][0] and frames[-1].done


def test_a_draft_that_a_rule_cuts_off_is_verified_from_its_first_unread_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words written in earlier passes were left out, so a later one was read first, behind words that were wrong."""

    class NotTheThird:
        def compatible_writes(self, canvas: Canvas, write: Any, *_: Any) -> Any:
            return write & ~canvas.mask([7])

    state = start(blank([PROMPT, 4]), Settings("proofread"))
    mask = state.canvas.mask
    state = replace(state, canvas=state.canvas.write(mask([5]), np.full(9, 2)))
    rules(monkeypatch, lambda _: Choice(mask([6, 7, 8]), verify=mask([5, 6, 7, 8]), stay=True))
    (belief,) = infer(TOY, [state])
    after, frame = step(state, replace(belief, constraint=NotTheThird()))  # type: ignore[arg-type]
    assert frame.cells.tolist() == [6] and after.verify is not None
    assert after.verify.tolist() == after.canvas.ids[[5, 6]].tolist()


def test_a_reason_without_a_number_is_still_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    from unmask.decide import Reason

    def odd(view: View) -> Choice:
        return Choice(view.eligible, why=(Reason(view.eligible, "{} it is", np.full(len(view.canvas), np.nan)),))

    rules(monkeypatch, odd)
    _, frame = run(TOY, begin(cells=3))[0]
    assert all(np.isfinite(numbers).all() for _, _, numbers in frame.why)


def test_early_stop_fills_the_rest_once_all_before_the_end_is_there() -> None:
    toy = Ending(eager=50)
    state = begin("left_to_right", end="stop", passes=16)
    (after, frame), *more = run(toy, state)
    assert not more and after.done
    assert frame.cells.tolist() == list(range(5, 21)) and set(frame.tokens.tolist()) == {9}
    assert ("after the end of the text", tuple(range(6, 21)), ()) in frame.why


def test_early_stop_waits_for_what_comes_before_the_end() -> None:
    state = begin("left_to_right", end="stop", passes=16, cells=4)
    state = apply(state, Pin((7,), (9,)))
    passes = run(TOY.__class__(seed=1), state)
    assert len(passes) == 3  # this toy knows no end of text, so the pin means nothing to it
    ended = run(Ending(eager=-50), state)
    assert [f.cells.tolist() for _, f in ended] == [[5], [6, 8]]


@pytest.mark.parametrize("policy", ["remask", "replan", "backtrack", "revoke", "edit", "uniform"])
def test_early_stop_agrees_with_its_replay_where_cells_are_also_taken_back(policy: str) -> None:
    """A cell taken back and closed by the end of the text in one pass was once replayed as open."""
    for seed in range(4):
        state = begin(policy, end="stop", seed=seed, temperature=1.0, passes=6)
        for after, frame in run(Ending(seed, 1.5), state):
            assert replay_frame(state.canvas, frame).same(after.canvas)
            assert not {*frame.cells.tolist()} & {*frame.erased.tolist()}
            state = after


def test_blocks_are_counted_where_answer_cells_are() -> None:
    """Between given texts: a block without answer cells once took passes away from the others."""
    canvas = blank([PROMPT, 6, list(range(20)), 6])
    state = start(canvas, Settings(passes=12, block=8))
    assert state.block_passes == 6
    assert [len(f.cells) for _, f in run(TOY, state)] == [1] * 12
    assert start(blank([PROMPT, 16]), Settings(passes=8, block=8)).block_passes == 4
    assert (
        start(blank([PROMPT, 16]), Settings(passes=8, block=8, block_from="sequence")).block_passes == 1
    )  # 3 of 16 cells
    assert start(blank([PROMPT, 16]), Settings(passes=8, passes_for="block", block=8)).block_passes == 8


@pytest.mark.parametrize("prompt", [1, 4, 5, 7, 8, 9])
def test_sight_to_the_blocks_end_never_reaches_the_prompt(prompt: int) -> None:
    """Where a prompt is not block-aligned, published code overwrote its last tokens."""
    canvas = blank([list(range(prompt)), 10])
    state = start(canvas, Settings("block_threshold", block=4, block_from="sequence", sight="block", passes=2))
    seen = []
    while not state.done:
        seen.append(state.visible_cells)
        (belief,) = infer(TOY, [state])
        assert not belief.known[state.visible_cells :].any() and not belief.known[:prompt].any()
        state, frame = step(state, belief)
        assert (frame.cells >= prompt).all() and (frame.cells < seen[-1]).all()
        assert state.canvas.tokens[:prompt].tolist() == list(range(prompt))
    assert seen == sorted(seen) and set(seen) <= {4, 8, 12, 16, 20, prompt + 10}


def test_an_erased_cell_of_an_earlier_block_is_written_with_the_present_one() -> None:
    state = begin(passes=8, block=8)
    while state.block == 0:
        state = run_one(state)
    state = apply(run_one(state), Erase((6,)))
    assert state.block == 1
    blocks = []
    while not state.done:
        blocks.append(state.block)
        state = run_one(state)
    assert blocks == [1] * len(blocks) and len(blocks) <= 4


def run_one(state: State) -> State:
    return step(state, *infer(TOY, [state]))[0]


def test_a_new_block_length_starts_from_the_leftmost_open_cell() -> None:
    state = begin(passes=8, block=8)
    while state.block == 0:
        state = run_one(state)
    tuned = apply(state, Tune({"block": 4}))
    assert tuned.block == 2 and tuned.block_pass == 0 and tuned.bounds == (13, 17)


def test_a_finished_run_plans_anew_for_what_is_erased() -> None:
    state = run(TOY, begin(passes=4))[-1][0]
    again = apply(state, Erase((5, 6, 7, 8)))
    assert not again.done and again.block_pass == 0
    assert [len(f.cells) for _, f in run(TOY, again)] == [1, 1, 1, 1]


def test_a_temperature_falls_to_its_end() -> None:
    state = begin(passes=4, temperature=0.8, temperature_end=0.4)
    heats = [state.temperature, *(s.temperature for s, _ in run(TOY, state)[:-1])]
    assert heats == pytest.approx([0.8, 0.7, 0.6, 0.5])


def test_one_pin_leaves_the_random_draws_of_others_alone() -> None:
    """With temperature and an order by luck: what changes far from a pin is nothing."""
    state = begin("ancestral", cells=40, temperature=1.0)
    pinned = apply(state, Pin((6,), (11,)))
    plain, other = (run(TOY, s)[0][1] for s in (state, pinned))
    far = {c: t for c, t in zip(plain.cells.tolist(), plain.tokens.tolist(), strict=True) if c > 9}
    assert far == {c: t for c, t in zip(other.cells.tolist(), other.tokens.tolist(), strict=True) if c > 9}
    assert far


def test_a_state_is_never_changed() -> None:
    state = begin("replan")
    copy = Canvas(*(getattr(state.canvas, n).copy() for n in ("tokens", "open", "pinned", "given", "ids")))
    run(TOY, state)
    assert state.canvas.same(copy) and state.step == 0 and state.memory is None
