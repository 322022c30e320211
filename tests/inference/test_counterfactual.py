"""What-if questions are answered as if the canvas were so, right to 1e-9 where everything can be counted."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from tests.support import begin
from unmask.canvas import blank
from unmask.inference.counterfactual import counterfactual, mask_out, substitute
from unmask.models import ModelInput
from unmask.models.toy import Toy

WORLD = np.array([[1, 2, 3], [1, 3, 2], [2, 1, 1], [2, 1, 3]])  # texts of three words, each as likely
CHANCE = np.array([0.4, 0.3, 0.2, 0.1])


class Counted(Toy):
    """Knows four texts and how likely each is: its beliefs are their posterior, by enumeration."""

    def __init__(self) -> None:
        super().__init__(words=5, mask=4)
        self.calls = 0

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        self.calls += 1
        return [torch.from_numpy(self._posterior(t)) for t in model_inputs]

    def _posterior(self, model_input: ModelInput) -> np.ndarray:
        fits = CHANCE * ((model_input.tokens == WORLD) | model_input.open).all(1)
        table = np.full((len(model_input.rows), 5), 1e-300)
        for row, cell in enumerate(model_input.rows):
            np.add.at(table[row], WORLD[:, cell], fits / fits.sum())
        return np.log(table)


def test_supposing_a_word_moves_the_others_by_the_posterior() -> None:
    model, state = Counted(), replace(begin(precision="double"), canvas=blank([3]))
    words = np.tile(np.arange(5), (3, 1))
    canvases = [state.canvas, substitute(state.canvas, [0], [1]), substitute(state.canvas, [1], [1])]
    seen = counterfactual(model, state, canvases, words)
    assert model.calls == 1  # one batch
    assert np.allclose(np.exp(seen[0, 0, 1:3]), [0.7, 0.3], atol=1e-9)
    assert np.allclose(np.exp(seen[1, 1, 1:4]), [0, 4 / 7, 3 / 7], atol=1e-9)
    assert np.allclose(np.exp(seen[2, 0, 1:3]), [0, 1], atol=1e-9)
    assert np.isnan(seen[1, 0]).all() and np.isnan(seen[2, 1]).all()
    assert np.allclose(np.exp(seen[2, 2, 1:4]), [2 / 3, 0, 1 / 3], atol=1e-9)


def test_hiding_a_written_cell_asks_as_if_it_were_open() -> None:
    model, state = Counted(), begin(precision="double")
    canvas = substitute(blank([3]), [0, 1], [1, 2])
    seen = counterfactual(model, state, [canvas, mask_out(canvas, [1])], np.tile(np.arange(5), (3, 1)))
    assert np.isclose(np.exp(seen[0, 2, 3]), 1, atol=1e-9)
    assert np.allclose(np.exp(seen[1, 1, 2:4]), [4 / 7, 3 / 7], atol=1e-9)
    assert canvas.tokens.tolist() == [1, 2, -1]  # nothing was changed in place


def test_a_probe_is_shaped_as_its_run_is() -> None:
    model, canvas = Counted(), blank([3])
    state = replace(begin(precision="double", bans=(1,)), canvas=canvas)
    seen = counterfactual(model, state, [canvas], np.tile(np.arange(5), (3, 1)))
    assert np.isclose(np.exp(seen[0, 0, 2]), 1, atol=1e-9)
