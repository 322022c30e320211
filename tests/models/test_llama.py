"""Autoregression by the same road: left to right on a causal model equals transformers' own loop, token for token."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from unmask.canvas import Card, blank
from unmask.inference.decode import decode
from unmask.models import Denoiser, ModelInput
from unmask.models.toy import NumberTokenizer
from unmask.run.presets import preset
from unmask.run.state import start

WORDS, CELLS = 96, 24


class Causal(Denoiser):
    """A Llama behind the Denoiser contract, with its past kept by tokens or forgotten each time."""

    def __init__(self, network: Any, cached: bool) -> None:
        self.network, self.cached, self.tokenizer = network, cached, NumberTokenizer(WORDS)
        self.card = Card("llama", "test", WORDS, 128, causal=True)
        self.past: tuple[list[int], Any] | None = None

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        return [self.one(t) for t in model_inputs]

    def one(self, model_input: ModelInput) -> torch.Tensor:
        prefix = model_input.tokens[: int(model_input.rows[0])].tolist()
        known, past = self.past if self.cached and self.past else ([], None)
        if prefix[: len(known)] != known or len(known) >= len(prefix):
            known, past = [], None
        output = self.network(torch.tensor([prefix[len(known) :]]), past_key_values=past, use_cache=True)
        self.past = (prefix, output.past_key_values)
        return output.logits[0, -1:]


@pytest.fixture(scope="module", params=range(3))
def network(request: pytest.FixtureRequest) -> Any:
    torch.manual_seed(request.param)
    config = LlamaConfig(
        vocab_size=WORDS,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        initializer_range=0.4,
        eos_token_id=None,
        bos_token_id=None,
        pad_token_id=0,
    )
    return LlamaForCausalLM(config).eval()


@pytest.mark.parametrize("cached", [False, True])
def test_left_to_right_is_greedy_generation(network: Any, cached: bool) -> None:
    prompt = [5, 17, 3, 42]
    ours = [
        s for s, _ in decode(Causal(network, cached), start(blank([prompt, CELLS]), preset("autoregressive").over(24)))
    ]
    ids = torch.tensor([prompt])
    theirs = network.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=CELLS, do_sample=False)
    loop = list(prompt)
    with torch.inference_mode():
        for _ in range(CELLS):
            loop.append(int(network(torch.tensor([loop])).logits[0, -1].argmax()))
    assert ours[-1].canvas.tokens.tolist() == theirs[0].tolist() == loop
    assert len(ours) == CELLS and np.unique(loop[4:]).size > 3
