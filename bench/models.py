"""Overhead of an adapter over the bare network: alternating forwards on the GPU, or on the CPU without one.

Random weights: LLaDA-8B's shape on a GPU, a hundredth of it on a CPU. The target is below 1.02."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import transformers

from unmask.canvas import Card
from unmask.models import ModelInput
from unmask.models.hub.adapter import AdapterParts, Masked
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.hub.native import Native
from unmask.models.toy import NumberTokenizer

ROUNDS, CELLS = 15, 256
GPU = torch.cuda.is_available()
SHAPE = (
    {"hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 32, "num_attention_heads": 32}
    if GPU
    else {"hidden_size": 768, "intermediate_size": 2304, "num_hidden_layers": 6, "num_attention_heads": 12}
)


def network() -> Any:
    """A bidirectional Llama with random weights, on the device."""
    words = 126_464 if GPU else 16_384
    config = transformers.LlamaConfig(**SHAPE, num_key_value_heads=SHAPE["num_attention_heads"], vocab_size=words)
    config.is_causal = False
    torch.set_default_device("cuda" if GPU else "cpu")
    model = transformers.LlamaForCausalLM._from_config(config, dtype=torch.bfloat16 if GPU else torch.float32)
    torch.set_default_device("cpu")
    return model.eval().requires_grad_(False)


def took(work: Callable[[], torch.Tensor]) -> float:
    """Seconds until the result is there; on a CPU, processor time."""
    clock = time.perf_counter if GPU else time.process_time
    began = clock()
    result = work()
    if GPU:
        torch.cuda.synchronize()
    assert len(result)
    return clock() - began


def main() -> None:
    model = network()
    words, mask = model.config.vocab_size, model.config.vocab_size - 1
    number = "bf16" if GPU else "fp32"
    card = Card("bench", "llada", words, 4096, never=(mask,), number=number, device=str(model.device))
    adapter = Masked(
        AdapterParts(Native(model, masked=False), CheckpointSpec("", {}), card, NumberTokenizer(words), mask)
    )
    tokens, place = np.arange(CELLS) % 1000, np.arange(CELLS)
    model_input = ModelInput(tokens, place >= CELLS // 2, place, place)  # every row, like the bare forward
    ids = torch.from_numpy(np.where(model_input.open, mask, tokens))[None].to(model.device)
    bare, ours = [], []
    with torch.inference_mode():
        for round_ in range(ROUNDS + 2):
            one = took(lambda: model(input_ids=ids, use_cache=False).logits[0])
            other = took(lambda: adapter.logits([model_input])[0])
            if round_ > 1:  # the first two warm up
                bare.append(one)
                ours.append(other)
    ratio = statistics.median(ours) / statistics.median(bare)
    where = torch.cuda.get_device_name() if GPU else "processor"
    print(f"adapter over bare forward, {CELLS} cells on {where}: {ratio:.3f}")
    print(f"    bare {1000 * statistics.median(bare):.2f} ms, adapter {1000 * statistics.median(ours):.2f} ms")


if __name__ == "__main__":
    main()
