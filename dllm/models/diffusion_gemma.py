"""DiffusionGemma: no mask; every cell of a canvas holds a word, and the model sees what it last believed (2026)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unmask.canvas import Ints
from unmask.errors import InvalidRequest
from unmask.models.family import Checkpoint, Family
from unmask.models.hub.adapter import AdapterParts, Causal, OneByOne, to_device
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields
from unmask.models.hub.native import Native
from unmask.models.interface import ModelInput

if TYPE_CHECKING:
    from torch import Tensor


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """The class is transformers' own; what stands in the canvas is decided 256 cells at a time."""
    return CheckpointSpec(
        "DiffusionGemmaForBlockDiffusion",
        own_fields(config),
        longest=int(config["text_config"]["max_position_embeddings"]),
        preset={"preset": "diffusion-gemma", "settings": {"block": int(config["canvas_length"]), "end": "stop"}},
        twin="diffusion_gemma:{what}?mode=ar",
        fair="The twin is this checkpoint's own encoder, read from left to right: the same weights, another reading.",
        note="Images are left out: text only.",
    )


@dataclass(frozen=True, eq=False)
class SoftEmbeddings:
    """What was believed of a block: for each cell, the mean embedding of the words it may hold."""

    block: tuple[int, int]
    embedding: Tensor  # [cells, width]: a thousandth of the logits it stands for


class GemmaAdapter(OneByOne):
    """What is decided goes through the encoder once; the present block goes through the decoder at every pass."""

    noise, blockwise, has_carry, masks = True, True, True, False

    def __init__(self, fitting: AdapterParts) -> None:
        super().__init__(fitting)
        network = fitting.network
        assert isinstance(network, Native)  # its family says so
        self.net = network.model
        self.start = int(self.net.config.get_text_config().bos_token_id or 0)
        self._signal: Tensor | None = None
        # the decoder takes last pass's logits and makes this of them; a thousandth of the memory arrives here
        self.net.model.decoder.self_conditioning.register_forward_pre_hook(self._condition)

    def one(self, model_input: ModelInput, rows: Ints | None = None) -> Tensor:
        begins, ends = model_input.block
        rows = model_input.rows - begins if rows is None else rows
        if model_input.attention_mask is not None:
            raise InvalidRequest(
                "this model reads a canvas as a whole, so shadows cannot verify it: choose another policy"
            )
        past, length = self._encoded(model_input.tokens[:begins])
        carried = (
            model_input.carry
            if isinstance(model_input.carry, SoftEmbeddings) and model_input.carry.block == model_input.block
            else None
        )
        self._signal = carried.embedding if carried is not None else None
        at = np.arange(length, length + ends - begins)
        ids, where, which = to_device(self.network.device, model_input.tokens[None, begins:ends], at[None], rows)
        hidden = self.net.model.decoder(
            decoder_input_ids=ids, decoder_position_ids=where, past_key_values=past
        ).last_hidden_state[0]
        self._signal = None
        return spoken(self.net, hidden[which])

    def make_carry(self, model_input: ModelInput, shaped: Tensor) -> SoftEmbeddings:
        """The soft embedding of what was just believed; a cell that is given is believed to hold what it holds."""
        import torch

        embed = self.net.model.decoder.embed_tokens
        begins, ends = model_input.block
        words, which = to_device(shaped.device, model_input.tokens[begins:ends], model_input.rows - begins)
        soft = embed(words)
        share = torch.softmax(shaped.to(embed.weight.dtype), -1, dtype=torch.float32).to(embed.weight.dtype)
        soft[which] = share @ embed.weight * embed.embed_scale.to(soft.dtype)
        return SoftEmbeddings(model_input.block, soft)

    def _condition(self, module: Any, given: tuple[Any, ...]) -> tuple[Any, ...] | None:
        return None if self._signal is None else (given[0], self._signal[None].to(given[0].device))

    def _encoded(self, text: Ints) -> tuple[Any, int]:
        """The encoder's keys and values of a text, which is never empty: a first mark stands for nothing."""
        text = text if len(text) else np.array([self.start])
        known, past, _ = self.pasts.longest(text)
        if known < len(text):
            fresh, where = to_device(self.network.device, text[None, known:], np.arange(known, len(text))[None])
            self.net.model.encoder(input_ids=fresh, position_ids=where, past_key_values=past)
            self.pasts.keep(text, past)
        return past, len(text)


class EncoderOnly(Causal):
    """The encoder alone, read from left to right."""

    def __init__(self, fitting: AdapterParts) -> None:
        super().__init__(fitting)
        network = fitting.network
        assert isinstance(network, Native)
        self.network = _Readout(network.model, masked=False)


class _Readout(Native):
    def logits(
        self,
        ids: Tensor,
        rows: Tensor,
        positions: Tensor | None = None,
        attention_mask: Tensor | None = None,
        past: Any = None,
    ) -> Tensor:
        answer = self.model.model.encoder(input_ids=ids, position_ids=positions, past_key_values=past)
        return spoken(self.model, answer.last_hidden_state[:, rows])


def spoken(model: Any, hidden: Tensor) -> Tensor:
    """Logits of some rows, squeezed between the bounds that the model was trained with."""
    import torch

    bound = model.final_logit_softcapping
    logits = torch.tanh(model.lm_head(hidden).to(torch.float32) / bound) * bound
    return logits  # type: ignore[no-any-return, unused-ignore]


FAMILY = Family(
    architectures=("DiffusionGemmaForBlockDiffusion",),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(Checkpoint("google/diffusiongemma-26B-A4B-it", 26.0),),
    licence="Apache-2.0",
    adapter=GemmaAdapter,
    causal=EncoderOnly,
)
