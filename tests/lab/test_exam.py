"""The examination runs through, and has a row for everything the embedded pair is judged by."""

import pytest

from dllm.lab.exam import WANTED, Line, examine
from dllm.lab.write import held_out
from dllm.models import load
from dllm.worlds import document


@pytest.mark.slow
def test_a_quick_examination_has_every_row() -> None:
    lines: list[Line] = []
    examine(load("denoiser"), load("twin"), 200, True, lines.append)
    found = {line.what for line in lines}
    # the number of draws is part of a name
    assert {what for what in WANTED if "100 draws" not in what} <= found
    assert any(what.startswith("distinct plots") for what in found)
    assert {line.who for line in lines} == {"denoiser", "twin"}


def test_what_is_examined_is_held_back_and_the_same_each_time() -> None:
    prompts = held_out(30)
    assert prompts == held_out(30) and all(one.held_out for one in prompts)
    assert all(one.shape != "adding" for one in prompts)
    assert not {one.prompt for one in prompts} & {document(seed).prompt for seed in range(300)}
