"""The probe of one layer: more layers, more time; and it is of the order of what a network of that shape takes."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
import torch
import transformers

from unmask.models.family import NetworkShape
from unmask.models.hub import layer_timing

SMALL = NetworkShape(8, 512, 1536, 8, 4, 64, 16_384)


@pytest.fixture(autouse=True)
def seconds_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program on the core must not decide what takes longer."""
    monkeypatch.setattr(time, "perf_counter", time.process_time)


def shortest(shape: NetworkShape) -> float:
    """Of three tries."""
    times = []
    for _ in range(3):
        layer_timing.forward_seconds.cache_clear()
        times.append(layer_timing.forward_seconds(shape, "fp32", "cpu"))
    return min(times)


def test_ten_times_the_layers_take_several_times_as_long() -> None:
    assert 3 < shortest(replace(SMALL, layers=80)) / shortest(SMALL) < 20


def test_it_is_of_the_order_of_a_real_pass() -> None:
    config = transformers.Qwen3Config(
        vocab_size=SMALL.vocab_size,
        hidden_size=SMALL.width,
        intermediate_size=SMALL.ffn_width,
        num_hidden_layers=SMALL.layers,
        num_attention_heads=SMALL.heads,
        num_key_value_heads=SMALL.kv_heads,
        head_dim=SMALL.head_width,
    )
    model = transformers.Qwen3ForCausalLM(config).eval()
    ids = torch.from_numpy(np.arange(layer_timing.CELLS)[None])
    times = []
    with torch.inference_mode():
        for _ in range(4):
            began = time.perf_counter()
            model(ids, use_cache=False)
            times.append(time.perf_counter() - began)
    assert 0.2 < shortest(SMALL) / min(times) < 5


def test_what_has_no_shape_is_not_guessed() -> None:
    from unmask.models.hub import known_checkpoints

    large = next(item for item in known_checkpoints.known_checkpoints("cpu") if item.shape is None)
    with pytest.raises(ValueError, match="is not known"):
        known_checkpoints.forward_seconds(large)
