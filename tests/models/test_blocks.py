"""A block read at fixed addresses behind a text of any length: the same tokens, and no mask where nothing is hidden."""

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
from unmask.models.hub import cuda_graphs, hardware
from unmask.models.hub.cuda_graphs import can_capture
from unmask.run.settings import Settings
from unmask.run.state import State, start
from unmask.run.step import step

Forge = Callable[[str], Forged]
NAMES = [
    "LLaDA2.0-mini",
    "SDAR-4B",
    "SDAR-30B-A3B",
    "Fast_dLLM_v2",
    "Stable-DiffCoder-8B",
    "Qwen3-0.6B-diffusion-bd3lm",
]


def load_forged(forged: Forge, name: str, **options: Any) -> Any:
    size = {"block": 8} if name.startswith("LLaDA2") else {}
    return load(str(forged(name).folder), number="fp32", device="cpu", engine="transformers", **size, **options)


def begin(model: Any, cells: int = 26, **changes: Any) -> State:
    rule = {"block": model.block, "block_from": "sequence", "sight": "block", "passes": cells} | changes
    return start(blank([[3, 4, 5, 6, 7, 8], cells]), Settings(policy="confidence", **rule))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_tokens_with_and_without(forged: Forge, name: str) -> None:
    fixed, plain = (load_forged(forged, name, graphs=graphs) for graphs in ("yes", "no"))
    assert plain.windows is None
    for rule in ({}, {"temperature": 0.8, "seed": 3}):
        ours = [s for s, _ in decode(fixed, begin(fixed, **rule))]
        theirs = [s for s, _ in decode(plain, begin(plain, **rule))]
        assert [s.canvas.tokens.tolist() for s in ours] == [s.canvas.tokens.tolist() for s in theirs]
        assert fixed.windows.kept
        for at in (3, 12, 19):  # a rewind finds the keys and values of its own moment
            *_, (again, _) = decode(fixed, ours[at])
            assert again.canvas.tokens.tolist() == ours[-1].canvas.tokens.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_runs_turn_by_turn_keep_apart(forged: Forge, name: str) -> None:
    """They share one window's buffers: each finds its own text, some of it another's beginning, watched and not."""
    fixed, plain = (load_forged(forged, name, graphs=graphs) for graphs in ("yes", "no"))
    states = [begin(fixed, cells=14 + 5 * seed, seed=seed, temperature=0.9) for seed in range(3)]
    for i in range(14):
        watched = [i % 3 == seed for seed in range(3)]
        ours, theirs = infer(fixed, states, watched), infer(plain, states, watched)
        for a, b in zip(ours, theirs, strict=True):
            assert a.token.tolist() == b.token.tolist()
            np.testing.assert_allclose(a.confidence, b.confidence, atol=1e-5)
        states = [s if s.done else replace(step(s, b)[0], carry=b.carry) for s, b in zip(states, ours, strict=True)]
        states = [begin(fixed, seed=i) if s.done else s for s in states]


def test_one_recording_serves_a_text_as_it_grows(forged: Forge, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[Any] = []
    repeated = cuda_graphs.capture_graph
    monkeypatch.setattr(cuda_graphs, "capture_graph", lambda *a: (recorded.append(a), repeated(*a))[1])
    model = load_forged(forged, "SDAR-4B", graphs="yes")
    addresses = set()
    for seed in range(2):
        for _ in decode(model, begin(model, seed=seed, temperature=0.7)):
            for one in model.windows.kept.values():
                layers = [x.data_ptr() for layer in one.past.layers for x in (layer.keys, layer.values)]
                with torch.inference_mode():
                    addresses.add((one.ids.data_ptr(), one.attention_mask.data_ptr(), one.again().data_ptr(), *layers))
    assert len(addresses) == len(recorded) == 1  # six blocks of two runs
    monkeypatch.setattr(cuda_graphs, "ROOM", 8)
    list(decode(model, begin(model, cells=60)))
    assert len(recorded) > 4 and len(model.windows.kept) == cuda_graphs.KEPT
    model.clear_caches()
    assert not model.windows.kept


def test_a_block_costs_a_recorded_forward_a_pass_and_one_when_it_is_done(
    forged: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load_forged(forged, "SDAR-4B", graphs="yes")
    model.clear_caches()  # what the self-test read
    reads: list[int] = []
    read = model.read
    monkeypatch.setattr(model, "read", lambda ids, *more: (reads.append(ids.size), read(ids, *more))[1])
    state, model.forwards = begin(model), 0
    passes = len(list(decode(model, state)))
    assert passes == 26 and reads == [8]  # the prompt's own block, beside the one it ends in
    assert model.forwards == passes + 6  # nobody asks behind the last of the eight


@pytest.mark.parametrize("name", NAMES)
def test_a_block_alone_needs_no_mask(forged: Forge, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that hides nothing once kept fast kernels away from every pass of every block."""
    real = torch.nn.functional.scaled_dot_product_attention
    seen: list[tuple[bool, bool]] = []

    def attention(*inputs: Any, attn_mask: Any = None, is_causal: bool = False, **more: Any) -> Any:
        seen.append((attn_mask is not None, is_causal))
        return real(*inputs, attn_mask=attn_mask, is_causal=is_causal, **more)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", attention)
    model = load_forged(forged, name)
    state, needed = begin(model), 0
    for _ in range(20):
        seen.clear()
        (belief,) = infer(model, [state])
        needed += seen[0][0]
        assert not any(causal for _, causal in seen)
        state, _ = step(state, belief)
    assert needed <= 1 + 20 / model.block  # where a block was just decided, and is read beside the next


def test_what_cannot_be_recorded_is_refused_in_words(forged: Forge, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LLaDA-8B", "WeDLM-8B", "diffusiongemma", "bert-base", "bd3lm-owt"):
        with pytest.raises(InvalidRequest, match="reads none by itself"):
            load_forged(forged, name, graphs="yes")
    with pytest.raises(InvalidRequest, match="reads none by itself"):
        load_forged(forged, "SDAR-4B", graphs="yes", cache="none")
    monkeypatch.setattr(hardware, "pick_device", lambda option="": "cuda")
    monkeypatch.setattr(hardware, "pick_dtype", lambda *_: "bf16")
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: (8, 0))
    for name, options in (("SDAR-30B-A3B", {}), ("LLaDA2.0-mini", {}), ("LLaDA-MoE", {"cache": "dual"})):
        with pytest.raises(InvalidRequest, match=r"mixture of experts.*open it without graphs=yes"):
            load(str(forged(name).folder), graphs="yes", **options)
    monkeypatch.setattr(hardware, "pick_device", lambda option="": "auto")
    with pytest.raises(InvalidRequest, match="name it, such as device=cuda:0"):
        load(str(forged("SDAR-4B").folder), graphs="yes")
    assert can_capture(False, "cuda", "int4") and can_capture(True, "cpu", "fp32")
    assert not can_capture(True, "cuda:1", "bf16")
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: (9, 0))
    assert can_capture(True, "cuda:1", "bf16") and not can_capture(True, "cuda", "int8")
