"""The diffusion transformer (DiT) of MDLM and BD3-LM without flash-attention; its names are those of the Hub's keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from unmask.errors import InvalidRequest
from unmask.models.architecture import describe_misfit
from unmask.models.hub.checkpoint_spec import Config
from unmask.models.hub.kv_buffer import KVCache
from unmask.models.transformer import apply_rope, rope_angles

TIMES = 256  # width of the sinusoidal time encoding


class LayerNorm(nn.Module):
    """Layer norm in float32, with a weight and no bias."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x.float(), x.shape[-1:]).to(x.dtype) * self.weight


class DiTBlock(nn.Module):
    """Attention and a feed-forward part, each with adaLN scale, shift and gate if the model is conditioned on time."""

    def __init__(self, width: int, heads: int, condition: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = LayerNorm(width), LayerNorm(width)
        self.attn_qkv = nn.Linear(width, 3 * width, bias=False)
        self.attn_out = nn.Linear(width, width, bias=False)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))
        if condition:
            self.adaLN_modulation = nn.Linear(condition, 6 * width)

    def forward(self, x: Tensor, rope: tuple[Tensor, Tensor], time: Tensor | None, mask: Any, past: Any) -> Tensor:
        gates: tuple[Any, ...] = (
            (0, 0, 1, 0, 0, 1) if time is None else self.adaLN_modulation(time)[:, None].chunk(6, 2)
        )
        shift, scale, gate, shift2, scale2, gate2 = gates
        qkv = (
            self.attn_qkv(self.norm1(x) * (1 + scale) + shift).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        )
        q, k, v = apply_rope(qkv[0], *rope), apply_rope(qkv[1], *rope), qkv[2]
        if past is not None:
            k, v = past[0].update(k, v, past[1])
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2)
        x = x + gate * self.attn_out(seen)
        x = x + gate2 * self.mlp(self.norm2(x) * (1 + scale2) + shift2)
        return x


class FinalLayer(nn.Module):
    """The output layer: logits of every token."""

    def __init__(self, width: int, words: int, condition: int) -> None:
        super().__init__()
        self.norm_final, self.linear = LayerNorm(width), nn.Linear(width, words)
        if condition:
            self.adaLN_modulation = nn.Linear(condition, 2 * width)

    def forward(self, x: Tensor, time: Tensor | None) -> Tensor:
        shift, scale = (0, 0) if time is None else self.adaLN_modulation(time)[:, None].chunk(2, 2)
        logits: Tensor = self.linear(self.norm_final(x) * (1 + scale) + shift)
        return logits


class TokenEmbedding(nn.Module):
    """The token embedding."""

    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Parameter(torch.empty(words, width))


class TimeEmbedding(nn.Module):
    """The time embedding; the time is always 0, as in training."""

    def __init__(self, condition: int) -> None:
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(TIMES, condition), nn.SiLU(), nn.Linear(condition, condition))

    def forward(self) -> Tensor:
        waves = torch.zeros_like(next(self.parameters())[:1])
        waves[:, : TIMES // 2] = 1  # cosines of 0, then sines of 0
        return F.silu(self.mlp(waves))


class DiT(nn.Module):
    """The whole network, behind the protocol `hub.network.Network`."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        words, width, heads = (int(config[k]) for k in ("vocab_size", "hidden_dim", "n_heads"))
        condition = int(config["cond_dim"]) if config.get("adaln", True) else 0
        self.words, self.depth = words, width // heads
        self.vocab_embed = TokenEmbedding(words, width)
        self.blocks = nn.ModuleList(DiTBlock(width, heads, condition) for _ in range(int(config["n_blocks"])))
        self.output_layer = FinalLayer(width, words, condition)
        self.sigma_map = TimeEmbedding(condition) if condition else nn.Identity()
        self.timed = bool(condition)

    @property
    def device(self) -> torch.device:
        return self.vocab_embed.embedding.device

    def cache(self) -> KVCache:
        return KVCache()

    def move(self, device: str) -> None:
        self.to(device)

    @property
    def size(self) -> int:
        return sum(p.numel() * p.element_size() for p in self.parameters())

    def logits(
        self,
        ids: Tensor,
        rows: Tensor,
        positions: Tensor | None = None,
        attention_mask: Tensor | None = None,
        past: Any = None,
    ) -> Tensor:
        """`[B, R, V]`."""
        x = self.vocab_embed.embedding[ids]
        where = torch.arange(ids.shape[1], device=ids.device)[None] if positions is None else positions
        rope = rope_angles(where, self.depth, 10_000.0, x.dtype)
        clock: Any = self.sigma_map
        time = clock() if self.timed else None
        mask = None if attention_mask is None else attention_mask[:, None]
        for i, block in enumerate(self.blocks):
            x = block(x, rope, time, mask, None if past is None else (past, i))
        logits: Tensor = self.output_layer(x[:, rows], time)
        return logits


def load_network(folder: Path, config: Config, number: str, device: str) -> DiT:
    """Loads the network of a folder; raises InvalidRequest if any key is missing or unknown."""
    from safetensors.torch import load_file

    if config.get("time_conditioning"):
        raise InvalidRequest(
            "this model is conditioned on time, which is not supported: use one without time_conditioning"
        )
    if number not in ("fp32", "bf16"):
        raise InvalidRequest(f"this model supports number=fp32 and bf16, not {number}")
    with torch.device("meta"):
        network = DiT(config)
    weights: dict[str, Tensor] = {}
    try:
        for file in sorted(folder.glob("*.safetensors")):
            weights |= {k.removeprefix("backbone."): v for k, v in load_file(str(file)).items()}
    except Exception as error:  # safetensors raises its own exceptions
        raise InvalidRequest(f"the weights in {folder.name} cannot be read: {error}") from error
    weights = {k: v for k, v in weights.items() if not k.endswith("inv_freq")}
    wanted = network.state_dict()
    misfits = sorted(k for k, v in weights.items() if k in wanted and v.shape != wanted[k].shape)
    if misfit := describe_misfit(
        sorted(wanted.keys() - weights.keys()), sorted(weights.keys() - wanted.keys()), misfits
    ):
        raise InvalidRequest(f"the weights in {folder.name} do not fit: {misfit}")
    network.load_state_dict(weights, assign=True)
    dtype = torch.float32 if number == "fp32" else torch.bfloat16
    return network.to(device=device, dtype=dtype).eval().requires_grad_(False)
