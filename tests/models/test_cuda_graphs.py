"""A window read at fixed addresses: the same tokens, nothing moves from pass to pass, one recording for each shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from tests.models.forge import Forged
from unmask.canvas import blank
from unmask.errors import InvalidRequest
from unmask.inference import infer
from unmask.inference.decode import decode
from unmask.models import load
from unmask.models.hub import cuda_graphs
from unmask.models.hub.cuda_graphs import CapturedBetween
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.step import step

Forge = Callable[[str], Forged]


def load_forged(forged: Forge, name: str, **options: Any) -> Any:
    return load(str(forged(name).folder), number="fp32", device="cpu", **options)


def begin(cells: int = 24, **changes: Any) -> Any:
    return start(blank([[3, 4, 5, 6], cells]), Settings(policy="confidence", block=8, passes=cells, **changes))


@pytest.mark.parametrize("cache", ["prefix", "dual"])
@pytest.mark.parametrize("name", ["LLaDA-8B", "Dream-v0", "LLaDA-MoE"])
def test_the_same_tokens_with_and_without(forged: Forge, name: str, cache: str) -> None:
    fixed, plain = (load_forged(forged, name, cache=cache, graphs=graphs) for graphs in ("yes", "no"))
    assert plain.windows is None
    for rule in ({}, {"temperature": 0.8, "seed": 3}):
        ours = [s for s, _ in decode(fixed, begin(**rule))]
        theirs = [s for s, _ in decode(plain, begin(**rule))]
        assert [s.canvas.tokens.tolist() for s in ours] == [s.canvas.tokens.tolist() for s in theirs]
        for at in (3, 12, 19):  # a rewind finds the keys and values of its own moment
            *_, (again, _) = decode(fixed, ours[at])
            assert again.canvas.tokens.tolist() == ours[-1].canvas.tokens.tolist()


def test_nothing_moves_and_each_shape_is_recorded_once(forged: Forge, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[Any] = []
    repeated = cuda_graphs.capture_graph
    monkeypatch.setattr(cuda_graphs, "capture_graph", lambda *a: (recorded.append(a), repeated(*a))[1])
    model = load_forged(forged, "LLaDA-8B", cache="dual", graphs="yes")
    model.clear_caches()  # what the self-test read
    recorded.clear()
    addresses = set()
    for seed in range(2):
        for _ in decode(model, begin(seed=seed, temperature=0.7)):
            for one in model.windows.kept.values():
                layers = [x.data_ptr() for layer in one.past.layers for x in (layer.keys, layer.values)]
                with torch.inference_mode():
                    answer = one.again().data_ptr()
                addresses.add((one.ids.data_ptr(), one.positions.data_ptr(), answer, *layers))
    assert len(addresses) == len(recorded) == 1  # three blocks of two runs, one shape
    list(decode(model, begin(cells=16)))
    assert len(recorded) == 2
    for cells in range(9, 9 + 2 * cuda_graphs.KEPT):
        list(decode(model, begin(cells=cells)))
    assert len(model.windows.kept) <= cuda_graphs.KEPT
    model.clear_caches()
    assert not model.windows.kept


def test_two_runs_turn_by_turn_keep_apart(forged: Forge) -> None:
    """They share one window's buffers: each finds its own keys and values, and an answer outlives the next forward."""
    fixed, plain = (load_forged(forged, "LLaDA-8B", cache="dual", graphs=graphs) for graphs in ("yes", "no"))
    states = [begin(seed=seed, temperature=0.9) for seed in range(3)]
    for _ in range(10):
        ours, theirs = infer(fixed, states), infer(plain, states)
        for a, b in zip(ours, theirs, strict=True):
            assert a.token.tolist() == b.token.tolist()
            np.testing.assert_allclose(a.confidence, b.confidence, atol=1e-5)
        states = [replace(step(s, b)[0], carry=b.carry) for s, b in zip(states, ours, strict=True)]


def test_all_that_a_pass_sends_goes_at_once(forged: Forge, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []
    arrives = torch.from_numpy
    monkeypatch.setattr(torch, "from_numpy", lambda x: (sent.append(x.size), arrives(x))[1])
    model = load_forged(forged, "LLaDA-8B", cache="dual", graphs="yes")
    states = [begin(), *(s for s, _ in decode(model, begin()))]
    assert isinstance(model.windows, CapturedBetween)
    sent.clear()
    infer(model, [states[3]])
    assert sent == [8 + 8 + 5]  # the window's ids and places, and the five cells that are open


def test_an_option_is_yes_or_no(forged: Forge) -> None:
    with pytest.raises(InvalidRequest, match="yes or no"):
        load_forged(forged, "LLaDA-8B", cache="dual", graphs="1")
