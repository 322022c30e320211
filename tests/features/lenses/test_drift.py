"""How far the passes of a run are from each other, against divergences of whole rows computed here."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from unmask.features.lenses.drift import Drift, open_rows
from unmask.inference.decode import decode
from unmask.inference.query import counterfactual_input
from unmask.models import Denoiser, load
from unmask.run.spec import RunSpec
from unmask.run.state import State


def run(name: str, **settings: object) -> tuple[Denoiser, list[State]]:
    model = load(name)
    spec = RunSpec.from_dict(
        {"prompt": "Story: Lily had a red kite.", "model": name, "length": 16, "changes": settings}
    )
    states = [spec.start(model.card, model.tokenizer)]
    states += [after for after, _ in decode(model, states[0])]
    return model, states


def probabilities(model: Denoiser, state: State) -> dict[int, np.ndarray]:
    """The open cells' rows of the whole vocabulary, by the cells' ids."""
    model_input = counterfactual_input(model.card, state, state.canvas)
    (logits,) = model.logits([model_input])
    x = np.array(logits, np.float64)
    x[:, list(model.card.never)] = -np.inf
    p = np.exp(x - x.max(1, keepdims=True))
    return dict(zip(state.canvas.ids[model_input.rows].tolist(), p / p.sum(1, keepdims=True), strict=True))


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    return float((p[p > 0] * np.log(p[p > 0] / q[p > 0])).sum())


@pytest.mark.parametrize("settings", [{"policy": "confidence", "passes": 6}, {"policy": "threshold"}])
def test_each_pass_is_as_far_from_the_others_as_whole_rows_say(settings: dict[str, object]) -> None:
    model, states = run("denoiser", **settings)
    passes = [state for state in states[:-1] if state.canvas.open.any()]  # each begins a pass
    measured = Drift()
    for state in reversed(passes):
        measured.add(open_rows(model, state))
    rows = [probabilities(model, state) for state in passes]
    last: dict[int, np.ndarray] = {}
    for one in rows:
        last |= one
    from_last = [np.mean([divergence(last[cell], p) for cell, p in one.items()]) for one in rows]
    from_before = [
        np.mean([divergence(later[cell], earlier[cell]) for cell in later.keys() & earlier.keys()])
        for earlier, later in pairwise(rows)
    ]
    assert measured.from_last[::-1] == pytest.approx(from_last, abs=1e-5)
    assert measured.from_before[::-1] == pytest.approx(from_before, abs=1e-5)
    assert len(passes) >= 3 and from_last[0] > 0.05 and measured.from_last[0] == 0
