"""How likely a text is valid if everything were written now, against writing it so many times."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.inference.test_constraint import PHONE, TOY, begin
from unmask.errors import InvalidRequest
from unmask.features.lenses.validity import validity
from unmask.inference.processors import apply_processors, model_processors
from unmask.inference.query import counterfactual_input
from unmask.models.array_ops import softmax
from unmask.run.constraint_check import compile_constraint


def test_the_chance_is_that_of_drawing_every_cell_by_itself() -> None:
    """Of twenty thousand such texts, so many meet the constraint, give or take luck."""
    state = begin({"kind": "avoids", "text": "a"}, cells=3)
    found = validity(TOY, state)
    free = replace(state, settings=state.settings.with_changes({"constraint": {}}))
    model_input = counterfactual_input(TOY.card, free, state.canvas)
    (logits,) = TOY.logits([model_input])
    shares = softmax(apply_processors(model_processors(free, state.canvas, TOY.card), logits, model_input.rows))
    rng = np.random.default_rng(0)
    draws = np.stack([rng.choice(len(row), 20_000, p=row / row.sum()) for row in shares], 1)
    texts = []
    for row in draws.tolist():
        words, ended = [], False
        for token in row:
            ended = ended or token == 0
            words.append(None if ended and token else token)
        texts.append(words)
    pieces = TOY.tokenizer.pieces
    usable = {t for t, p in enumerate(pieces) if p and "\ufffd" not in p and "[MASK]" not in p} | {0}
    valid = [
        None not in words and all(t in usable and "a" not in (pieces[t] if t else "") for t in words) for words in texts
    ]
    assert found.chance == pytest.approx(np.mean(valid), abs=0.015)
    assert 0 < found.chance < 1


def test_what_stands_counts_and_a_text_in_place_is_sure() -> None:
    state = begin(PHONE, cells=8)
    first = validity(TOY, state)
    assert 0 <= first.chance < 1e-3 and first.begins == 2
    assert len(first.live) == 9 and len(first.allowed) == 8 and first.allowed[0] > 10
    text = TOY.tokenizer.encode("555-1234")
    canvas = state.canvas.pin(range(2, 10), text)
    whole = validity(TOY, replace(state, canvas=canvas))
    assert whole.chance == 1 and whole.live == [1] * 9 and whole.allowed == [1] * 8
    almost = validity(TOY, replace(state, canvas=state.canvas.pin(range(2, 9), text[:7])))
    allows = compile_constraint(TOY.card, TOY.tokenizer, state.settings)
    assert allows is not None and almost.allowed[-1] == 10
    assert first.chance < almost.chance < 1


def test_a_run_without_a_constraint_says_so() -> None:
    with pytest.raises(InvalidRequest, match="no constraint"):
        validity(TOY, replace(begin(PHONE), settings=begin(PHONE).settings.with_changes({"constraint": {}})))
    assert torch.is_inference_mode_enabled() is False
