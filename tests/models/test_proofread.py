"""A denoiser with its twin as a reader: who answers what, and what becomes of cells that hold no text."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.models.test_bundled import load_bundled, models  # noqa: F401  the fixture is used by its name
from unmask.canvas import blank
from unmask.errors import InvalidRequest
from unmask.inference.decode import decode
from unmask.models import ModelInput
from unmask.models.hub.proofread import Proofread
from unmask.run.presets import preset
from unmask.run.spec import RunSpec
from unmask.run.state import start


@pytest.fixture(scope="module")
def pair(models: Path) -> Any:  # noqa: F811
    return load_bundled(models / "denoiser"), load_bundled(models / "twin")


def reading(tokens: list[int], rows: list[int]) -> ModelInput:
    row = np.array(tokens)
    return ModelInput(row, np.zeros(len(row), bool), np.array(rows), np.arange(len(row)), causal=True)


def test_from_left_to_right_it_says_what_its_twin_says(pair: Any) -> None:
    denoiser, twin = pair
    assert isinstance(denoiser, Proofread) and denoiser.card.both and not denoiser.card.blockwise
    with torch.inference_mode():
        (mine,) = denoiser.logits([reading([5, 6, 7, 8], [0, 2, 3])])
        (theirs,) = twin.logits([reading([5, 6, 7, 8], [0, 2, 3])])
    assert np.allclose(mine, theirs, atol=1e-4)


def test_a_cell_too_many_is_read_as_if_it_were_not_there(pair: Any) -> None:
    denoiser, _ = pair
    skip = denoiser.skip
    with torch.inference_mode():
        (plain,) = denoiser.logits([reading([5, 6, 7], [1, 2])])
        (holed,) = denoiser.logits([reading([5, skip, 6, skip, skip, 7], [1, 2, 5])])
    assert np.allclose(holed[[0, 1]], plain[[0, 0]], atol=1e-4)  # what would come there, and what does
    assert np.allclose(holed[2], plain[1], atol=1e-4)


def test_drafted_and_proofread_every_word_is_one_that_the_twin_could_have_written(pair: Any) -> None:
    denoiser, twin = pair
    rule = preset("draft-and-proofread").over(30, options={"tau": 0.1, "doubt": 1.0})
    for words in ("Tom had", "It was"):
        prompt = denoiser.tokenizer.encode(words)
        run = list(decode(denoiser, start(blank([prompt, 30]), rule)))
        *_, (greedy, _) = decode(twin, start(blank([prompt, 30]), preset("autoregressive").over(30)))
        assert any(frame.was.size and (frame.was >= 0).any() for _, frame in run)  # something was mended
        # with no doubt allowed, what is left is the twin's own text
        assert run[-1][0].canvas.tokens.tolist() == greedy.canvas.tokens.tolist()


def test_alone_it_opens_without_a_reader_and_with_another_twin_it_is_a_sentence(models: Path, tmp_path: Path) -> None:  # noqa: F811
    shutil.copytree(models, tmp_path / "m")
    folder = tmp_path / "m" / "denoiser"
    config = json.loads((folder / "config.json").read_text())
    assert config["reader"] == json.loads((tmp_path / "m" / "twin" / "config.json").read_text())["sha256"]
    (folder / "config.json").write_text(json.dumps(config | {"reader": "0" * 64}))
    with pytest.raises(InvalidRequest, match="not the one that its config names"):
        load_bundled(folder)
    shutil.rmtree(tmp_path / "m" / "twin")
    card = load_bundled(folder).card
    assert not card.both and card.preset["preset"] == "fast-dllm"


@pytest.mark.parametrize(
    "shape",
    [(1, 0), (2, 0), (3, 0), (4, 0), (1, 2), (3, 2), (5, 0), (12, 0), (33, 0), (90, 0), (5, 2), (24, 2), (90, 2)],
)
@pytest.mark.parametrize("doubt", [0.3, 1.0])
@pytest.mark.parametrize("end", ["allow", "stop"])
def test_no_run_takes_more_passes_than_six_fifths_of_its_cells(
    pair: Any, shape: tuple[int, int], doubt: float, end: str
) -> None:
    """Weights that know nothing: the reader finds nearly every word of the denoiser unlikely."""
    denoiser, _ = pair
    cells, behind = shape
    chosen = preset("draft-and-proofread").over(cells, options={"tau": 1.0, "doubt": doubt}, end=end)
    for words in ("Tom had", "xyz 7"):
        canvas = blank([denoiser.tokenizer.encode(words), cells, [5, 6][:behind]])
        run = list(decode(denoiser, start(canvas, chosen)))
        assert run[-1][0].done and not run[-1][0].canvas.open.any()
        assert len(run) <= 1.2 * cells
        assert max(frame.cost for _, frame in run) == 1


def test_a_run_goes_on_from_any_state_as_it_went(pair: Any) -> None:
    """What a block has spent is a part of the state."""
    denoiser, _ = pair
    chosen = preset("draft-and-proofread").over(40, options={"tau": 1.0, "doubt": 1.0})
    run = list(decode(denoiser, start(blank([denoiser.tokenizer.encode("It was"), 40]), chosen)))
    for at in range(0, len(run) - 1, 5):
        again = list(decode(denoiser, run[at][0]))
        assert len(again) == len(run) - at - 1
        assert all(one.same(other) for (_, one), (_, other) in zip(again, run[at + 1 :], strict=True))


def test_a_gap_of_unknown_length_starts_long_and_is_cut(pair: Any) -> None:
    denoiser, _ = pair
    words, behind = "Tom had", "It was"
    for room, cells in ((0, 3), (9, 9), (40, 16)):
        spec = RunSpec(f"{words}[MASK:3] {behind}", changes={"room": room} if room else {})
        state = spec.start(denoiser.card, denoiser.tokenizer)
        assert int(state.canvas.open.sum()) == cells
        *_, (last, _) = decode(denoiser, state)
        assert len(last.canvas) == len(state.canvas)  # what is surplus is written as a delete token
    long = RunSpec(f"{words}[MASK:20] {behind}", changes={"room": 40}).start(denoiser.card, denoiser.tokenizer)
    assert int(long.canvas.open.sum()) == 20
