"""DiffusionGemma: uniform-noise block diffusion, conditioned on its own last predictions (Google 2026)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unmask.canvas import Ints
from unmask.errors import InvalidRequest
from unmask.models.array_ops import to_device
from unmask.models.family import Checkpoint, Family
from unmask.models.hub.adapter import AdapterParts, Causal, OneByOne
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields
from unmask.models.hub.native import Native
from unmask.models.interface import ModelInput

if TYPE_CHECKING:
    from torch import Tensor


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """The class is transformers' own; a block is as long as the config's canvas (256 cells)."""
    return CheckpointSpec(
        "DiffusionGemmaForBlockDiffusion",
        own_fields(config),
        longest=int(config["text_config"]["max_position_embeddings"]),
        preset={"preset": "diffusion-gemma", "settings": {"block": int(config["canvas_length"]), "end": "stop"}},
        twin="diffusion_gemma:{what}?mode=ar",
        fair="The twin is this checkpoint's own encoder, used autoregressively: the same weights.",
        note="Images are left out: text only.",
    )


@dataclass(frozen=True, eq=False)
class SoftEmbeddings:
    """The last prediction for a block: for each cell, the mean embedding under its token probabilities."""

    block: tuple[int, int]
    embedding: Tensor  # [cells, width]: a thousandth of the size of the logits


class GemmaAdapter(OneByOne):
    """Encodes the decided text once, and runs the decoder on the current block at every pass."""

    noise, blockwise, has_carry, masks = True, True, True, False

    def __init__(self, parts: AdapterParts) -> None:
        super().__init__(parts)
        network = parts.network
        assert isinstance(network, Native)  # this family loads no other network
        self.net = network.model
        self.start = int(self.net.config.get_text_config().bos_token_id or 0)
        self._self_conditioning: Tensor | None = None
        # the decoder would compute soft embeddings from the last logits; we pass the embeddings, which are smaller
        self.net.model.decoder.self_conditioning.register_forward_pre_hook(self._condition)

    def one(self, model_input: ModelInput, rows: Ints | None = None) -> Tensor:
        begins, ends = model_input.block
        rows = model_input.rows - begins if rows is None else rows
        if model_input.attention_mask is not None:
            raise InvalidRequest(
                "this model reads a canvas as a whole, so shadows cannot verify it: choose another policy"
            )
        past, length = self._encoded(model_input.tokens[:begins])
        carry = (
            model_input.carry
            if isinstance(model_input.carry, SoftEmbeddings) and model_input.carry.block == model_input.block
            else None
        )
        self._self_conditioning = carry.embedding if carry is not None else None
        at = np.arange(length, length + ends - begins)
        ids, where, which = to_device(self.network.device, model_input.tokens[None, begins:ends], at[None], rows)
        hidden = self.net.model.decoder(
            decoder_input_ids=ids, decoder_position_ids=where, past_key_values=past
        ).last_hidden_state[0]
        self._self_conditioning = None
        return softcapped_logits(self.net, hidden[which])

    def make_carry(self, model_input: ModelInput, shaped: Tensor) -> SoftEmbeddings:
        """The soft embeddings of this pass's prediction; a cell without logits gets its own token's embedding."""
        import torch

        embed = self.net.model.decoder.embed_tokens
        begins, ends = model_input.block
        words, which = to_device(shaped.device, model_input.tokens[begins:ends], model_input.rows - begins)
        soft = embed(words)
        share = torch.softmax(shaped.to(embed.weight.dtype), -1, dtype=torch.float32).to(embed.weight.dtype)
        soft[which] = share @ embed.weight * embed.embed_scale.to(soft.dtype)
        return SoftEmbeddings(model_input.block, soft)

    def _condition(self, module: Any, given: tuple[Any, ...]) -> tuple[Any, ...] | None:
        return (
            None if self._self_conditioning is None else (given[0], self._self_conditioning[None].to(given[0].device))
        )

    def _encoded(self, text: Ints) -> tuple[Any, int]:
        """The encoder's keys and values of a text, and its length; an empty text is replaced by the BOS token."""
        text = text if len(text) else np.array([self.start])
        known, past, _ = self.pasts.longest(text)
        if known < len(text):
            fresh, where = to_device(self.network.device, text[None, known:], np.arange(known, len(text))[None])
            self.net.model.encoder(input_ids=fresh, position_ids=where, past_key_values=past)
            self.pasts.keep(text, past)
        return past, len(text)


class EncoderOnly(Causal):
    """The encoder alone, as an autoregressive model."""

    def __init__(self, parts: AdapterParts) -> None:
        super().__init__(parts)
        network = parts.network
        assert isinstance(network, Native)
        self.network = _EncoderNetwork(network.model, masked=False)


class _EncoderNetwork(Native):
    """The encoder with the language model's head."""

    def logits(
        self,
        ids: Tensor,
        rows: Tensor,
        positions: Tensor | None = None,
        attention_mask: Tensor | None = None,
        past: Any = None,
    ) -> Tensor:
        answer = self.model.model.encoder(input_ids=ids, position_ids=positions, past_key_values=past)
        return softcapped_logits(self.model, answer.last_hidden_state[:, rows])


def softcapped_logits(model: Any, hidden: Tensor) -> Tensor:
    """Logits of some rows, with the soft cap that the model was trained with."""
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
    torch=True,
)
