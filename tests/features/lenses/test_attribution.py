"""Why a word stands there, right to 1e-9 where every text can be counted; and the layers end in the model's answer."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.inference.test_compatibility import share, start_state
from unmask.errors import InvalidRequest
from unmask.features.lenses.attribution import is_calibrated, leave_one_out, logit_lens
from unmask.features.lenses.candidates import candidates
from unmask.inference.counterfactual import mask_out, substitute
from unmask.inference.decode import decode
from unmask.inference.query import counterfactual_input
from unmask.models import load
from unmask.run.spec import RunSpec
from unmask.run.state import State


def test_what_a_word_owes_to_another_is_the_ratio_of_the_counted_posteriors() -> None:
    oracle, state = start_state("[MASK:16]", "sudoku4", 16)
    text = oracle.texts[40]
    stands = {c: int(text[c]) for c in (0, 1, 2, 4, 8, 15)}
    state = replace(state, canvas=substitute(state.canvas, list(stands), list(stands.values())))
    cell, others = 2, np.array([0, 1, 4, 8, 15])
    alone, owed = leave_one_out(oracle, state, cell, others)
    rest = {c: t for c, t in stands.items() if c != cell}

    def given(fixed: dict[int, int]) -> float:
        return float(np.log(share(oracle, fixed | {cell: stands[cell]}) / share(oracle, fixed)))

    assert alone == pytest.approx([given(rest)] * 2, abs=1e-9)  # the oracle is not calibrated: both scales are one
    for at, other in enumerate(others.tolist()):
        without = {c: t for c, t in rest.items() if c != other}
        assert owed[:, at] == pytest.approx(alone - given(without), abs=1e-9), other
    assert owed.max() > 0.3


def test_an_open_cell_owes_nothing_yet() -> None:
    oracle, state = start_state("[MASK:4]")
    with pytest.raises(InvalidRequest, match="nothing stands"):
        leave_one_out(oracle, state, 0, np.array([1]))


@pytest.mark.parametrize("name", ["denoiser", "twin"])
def test_the_last_layer_says_what_the_model_says_and_the_first_knows_no_context(name: str) -> None:
    model = load(name)
    spec = RunSpec.from_dict({"prompt": "Story: Lily had a red kite.", "model": name, "length": 12})
    states: list[State] = [spec.start(model.card, model.tokenizer)]
    states += [after for after, _ in decode(model, states[0])]
    states = states[:: max(1, len(states) // 4)]
    last = states[-1].canvas
    cell = int(np.flatnonzero(last.answer & ~last.open)[0])
    token = int(last.tokens[cell])
    found = logit_lens(model, states, int(last.ids[cell]), token)
    assert found is not None and found.share.shape[:2] == (2, len(states)) and found.share.shape[2] >= 3
    for at, state in enumerate(states):
        model_input = counterfactual_input(model.card, state, mask_out(state.canvas, [cell]), np.array([cell]))
        with torch.inference_mode():
            logits = torch.as_tensor(model.logits([model_input])[0][0]).double()
            logits[list(model.card.never)] = -torch.inf
        assert found.share[1, at, -1] == pytest.approx(float(logits.softmax(-1)[token]), abs=1e-5)
        assert found.best[at, -1] == int(logits.argmax())
    if name == "denoiser":  # an open cell is read as the mask, so before any layer nothing is known
        assert np.ptp(found.share[1, :, 0]) < 1e-6
        assert np.ptp(found.share[1, :, -1]) > 1e-6  # and after them what stands around it counts


def test_why_layers_and_candidates_give_one_word_one_probability() -> None:
    """Layers once showed the network's own probability and the other two a calibrated one, and none said which."""
    model = load("denoiser")
    spec = RunSpec.from_dict({"prompt": "Story: Lily had a red kite.", "model": "denoiser", "length": 12})
    before = spec.start(model.card, model.tokenizer)
    after, _ = next(iter(decode(model, before)))
    cell = int(np.flatnonzero(after.canvas.answer & ~after.canvas.open)[0])
    token = int(after.canvas.tokens[cell])
    standing = replace(before, canvas=before.canvas.write(before.canvas.mask([cell]), after.canvas.tokens))
    assert is_calibrated(model, standing)
    alone, _ = leave_one_out(model, standing, cell, np.array([0]))
    found = logit_lens(model, [standing], int(standing.canvas.ids[cell]), token)
    assert found is not None
    listed = candidates(model, before, cell)
    for scale, tokens, probs in ((0, listed.tokens, listed.probs), (1, listed.raw_tokens, listed.raw_probs)):
        by_candidates = dict(zip(tokens.tolist(), probs.tolist(), strict=True))[token]
        assert np.exp(alone[scale]) == pytest.approx(by_candidates, abs=1e-5)
        assert found.share[scale, 0, -1] == pytest.approx(by_candidates, abs=1e-5)
    model_input = counterfactual_input(model.card, before, before.canvas, np.array([cell]))
    logits = np.array(model.logits([model_input])[0][0], np.float64)
    logits[list(model.card.never)] = -np.inf
    own = np.exp(logits - logits.max())
    assert np.exp(alone[1]) == pytest.approx(own[token] / own.sum(), abs=1e-5)
    assert abs(alone[0] - alone[1]) > 1e-3  # the two scales differ


def test_a_model_that_hides_its_layers_says_so() -> None:
    oracle, state = start_state("[MASK:4]")
    assert logit_lens(oracle, [state], 0, 1) is None
