"""What a run cost and gave, counted by hand."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support import begin, run
from unmask.canvas import blank
from unmask.models.toy import Toy
from unmask.run.command import Pin
from unmask.run.edit import apply
from unmask.run.stats import answer_text, decided_prefix, run_stats, text_cells

TOY = Toy(seed=3)


def test_a_run_in_numbers() -> None:
    state = apply(begin("left_to_right", cells=6, passes=6, prompt=[1]), Pin((3,), (9,)))
    passes = run(TOY, state)
    clocks = [(0.2, 0.01)] * 5
    m = run_stats(passes[-1][0].canvas, [f for _, f in passes], clocks, TOY.card)
    assert (m.passes, m.forwards, m.tokens, m.pinned) == (5, 5, 5, 1)
    assert m.tokens_per_pass == 1 and m.thinking_ms == pytest.approx(200) and m.other_ms == pytest.approx(10)
    assert m.first_text == pytest.approx(0.2) and m.finished == pytest.approx(1.0)
    assert m.tokens_per_second == pytest.approx(5) and m.tokens_per_second_after_first == pytest.approx(4 / 0.8)
    assert (m.rewritten, m.erased) == (0, 0)
    assert m.to_dict()["tokens_per_second"] == 5


def test_tokens_end_with_the_text() -> None:
    canvas = blank([[1], 5]).write(np.arange(6) > 0, np.array([0, 4, 5, 9, 6, 9]))
    card = replace(TOY.card, ends=(9,))
    assert text_cells(canvas, card).tolist() == [False, True, True, False, False, False]
    assert run_stats(canvas, [], [], card).tokens == 2 and run_stats(canvas, [], [], TOY.card).tokens == 5


def test_a_cell_too_many_is_no_token() -> None:
    canvas = blank([[1], 5]).write(np.arange(6) > 0, np.array([0, 4, 7, 7, 6, 9]))
    card = replace(TOY.card, ends=(9,), skips=(7,))
    assert text_cells(canvas, card).tolist() == [False, True, False, False, True, False]
    assert run_stats(canvas, [], [], card).tokens == 2


def test_nothing_is_divided_by_nothing() -> None:
    m = run_stats(blank([4]), [], [], TOY.card)
    assert (m.passes, m.tokens, m.tokens_per_pass, m.tokens_per_second, m.first_text) == (0, 0, 0, 0, None)


@pytest.mark.parametrize("policy", ["remask", "replan", "backtrack", "edit"])
def test_what_is_rewritten_counts_once(policy: str) -> None:
    """Tokens after the first text were once fewer than none, where cells were written again and again."""
    for seed in range(5):
        passes = run(TOY, begin(policy, seed=seed, temperature=1.0, passes=8))
        frames = [f for _, f in passes]
        m = run_stats(passes[-1][0].canvas, frames, [(0.1, 0.0)] * len(frames), TOY.card)
        assert m.tokens == 16
        assert m.tokens_per_second_after_first is None or 0 <= m.tokens_per_second_after_first <= m.tokens / 0.1
        assert m.erased == sum(len(f.erased) for f in frames)


def test_guidance_counts_twice() -> None:
    frames = [f for _, f in run(TOY, begin(guidance=1.0))]
    assert run_stats(begin().canvas, frames, [(0.1, 0.0)] * 8, TOY.card).forwards == 16


def test_settled_is_the_front() -> None:
    canvas = blank([[1, 2], 3])
    assert decided_prefix(canvas) == 2
    assert decided_prefix(canvas.pin([2], [7])) == 3 and decided_prefix(canvas.pin([3], [7])) == 2
    assert decided_prefix(canvas.pin([2, 3, 4], [7, 7, 7])) == 5


def test_an_answer_is_what_was_written() -> None:
    canvas = blank([[1, 2], 3]).pin([2, 4], [7, 8])
    assert answer_text(TOY, canvas) == "7 8"
