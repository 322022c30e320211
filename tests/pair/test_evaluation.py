"""The examination runs through, and has a row for everything the embedded pair is judged by."""

import pytest

from unmask.models import load
from unmask.models.bundled import available_builtins
from unmask.pair.eval.evaluation import WANTED, EvalRow, examine
from unmask.pair.eval.generate import held_out
from unmask.pair.worlds import document


@pytest.mark.slow
def test_a_quick_examination_has_every_row() -> None:
    lines: list[EvalRow] = []
    fast = load("fast") if "fast" in available_builtins() else None
    examine(load("denoiser"), load("twin"), 200, True, lines.append, fast)
    found = {line.what for line in lines}
    # the number of draws is part of a name
    ours = {what for what in WANTED if "100 draws" not in what and (fast or "twin's text" not in what)}
    assert ours <= found
    if fast:
        assert all(line.value.startswith("100") for line in lines if line.what == "the twin's text, word for word")
    assert any(what.startswith("distinct plots") for what in found)
    assert {line.who for line in lines} >= {"denoiser", "twin"}


def test_what_is_examined_is_held_back_and_the_same_each_time() -> None:
    prompts = held_out(30)
    assert prompts == held_out(30) and all(one.held_out for one in prompts)
    assert all(one.shape != "adding" for one in prompts)
    assert not {one.prompt for one in prompts} & {document(seed).prompt for seed in range(300)}
