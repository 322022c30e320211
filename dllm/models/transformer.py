"""The project's small transformer, in the form used for training: bidirectional or causal by one flag."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from unmask.models.checkpoint_weights import Array
from unmask.models.graph import EPS, ROPE_BASE
from unmask.models.graph import TransformerConfig as TransformerConfig
from unmask.models.graph_network import GraphNetwork

# KV cache: for each layer, keys and values of the tokens before, each [B, heads, past, depth]
Past = list[tuple[Tensor, Tensor]]


def apply_rope(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Each pair of numbers rotated by its position's angle (RoPE, arXiv:2104.09864)."""
    left, right = x.chunk(2, dim=-1)
    return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)


def rope_angles(positions: Tensor, depth: int, base: float, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Cosines and sines of the angles of [B, L] places, one for each pair of a head's numbers."""
    pairs = torch.arange(0, depth, 2, device=positions.device, dtype=torch.float32)
    angle = positions[:, None, :, None].float() * base ** (-pairs / depth)
    return angle.cos().to(dtype), angle.sin().to(dtype)


class RMSNorm(nn.Module):
    """Root-mean-square normalisation with a learned gain."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, (x.shape[-1],), self.gain, EPS)


class Layer(nn.Module):
    """A pre-norm block: attention, then a gated feed-forward part (SwiGLU).

    The names are those of the stored weights: `look` projects to queries, keys and values, `gather` is attention's
    output projection, `think` the gate and up projections, `settle` the down projection."""

    def __init__(self, shape: TransformerConfig) -> None:
        super().__init__()
        self.heads = shape.heads
        self.before_look, self.before_think = RMSNorm(shape.width), RMSNorm(shape.width)
        self.query_norm, self.key_norm = RMSNorm(shape.depth), RMSNorm(shape.depth)
        self.look = nn.Linear(shape.width, 3 * shape.width, bias=False)
        self.gather = nn.Linear(shape.width, shape.width, bias=False)
        self.think = nn.Linear(shape.width, 2 * shape.hidden, bias=False)
        self.settle = nn.Linear(shape.hidden, shape.width, bias=False)

    def project(self, x: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, each [B, heads, L, depth]."""
        rows, length, _ = x.shape
        split = self.look(self.before_look(x)).view(rows, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = split.unbind(0)
        return apply_rope(self.query_norm(query), cos, sin), apply_rope(self.key_norm(key), cos, sin), value

    def forward(
        self, x: Tensor, cos: Tensor, sin: Tensor, bias: Tensor | None, past: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        rows, length, width = x.shape
        query, key, value = self.project(x, cos, sin)
        if past is not None:
            key, value = torch.cat([past[0], key], dim=2), torch.cat([past[1], value], dim=2)
        # written out, because on a CPU two products and a softmax beat the fused kernel at these lengths
        score = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
        if bias is not None:
            score = score + bias
        seen = score.softmax(dim=-1) @ value
        x = x + self.gather(seen.transpose(1, 2).reshape(rows, length, width))
        gate, load = self.think(self.before_think(x)).chunk(2, dim=-1)
        return x + self.settle(F.silu(gate) * load), (key, value)


class Transformer(nn.Module):
    """Token ids to one hidden vector a cell; `lm_head` turns these into logits with the tied embedding."""

    def __init__(self, shape: TransformerConfig) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.last_norm = RMSNorm(shape.width)
        for name, weight in self.named_parameters():
            if weight.ndim == 2:
                # projections into the residual stream start at 0, so an untrained network is its embedding
                residual = name.endswith(("gather.weight", "settle.weight"))
                nn.init.normal_(weight, std=0.0 if residual else 0.08 if "embedding" in name else shape.width**-0.5)

    def read(
        self,
        ids: Tensor,
        positions: Tensor | None = None,
        attention_mask: Tensor | None = None,
        past: Past | None = None,
        states: list[Tensor] | None = None,
    ) -> tuple[Tensor, Past]:
        """Hidden vectors [B, L, W] and the extended KV cache; `attention_mask` is [B, L, past + L].

        `states` receives each layer's input, and the last layer's output."""
        before = past[0][0].shape[2] if past else 0
        length = ids.shape[1]
        if positions is None:
            positions = torch.arange(before, before + length, device=ids.device).expand(ids.shape)
        if attention_mask is None and self.shape.causal and length > 1:
            attention_mask = torch.ones(1, length, before + length, dtype=torch.bool, device=ids.device).tril(before)

        x = F.rms_norm(self.embedding(ids), (self.shape.width,), eps=EPS)
        cos, sin = self.angles(positions)
        bias = None
        if attention_mask is not None:
            # finite, so that a cell that attends to nothing gets an average instead of a NaN
            bias = torch.zeros(attention_mask.shape, dtype=x.dtype, device=x.device).masked_fill(~attention_mask, -1e9)[
                :, None
            ]

        extended: Past = []
        for at, layer in enumerate(self.layers):
            if states is not None:
                states.append(x)
            x, pair = layer(x, cos, sin, bias, past[at] if past else None)
            extended.append(pair)
        if states is not None:
            states.append(x)
        return self.last_norm(x), extended

    def angles(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines by which queries and keys of these positions [B, L] are rotated."""
        return rope_angles(positions, self.shape.depth, ROPE_BASE, self.embedding.weight.dtype)

    def lm_head(self, hidden: Tensor) -> Tensor:
        """Logits over the vocabulary, one row for every vector."""
        return F.linear(hidden, self.embedding.weight)

    def arrays(self) -> dict[str, Array]:
        """The weights by name."""
        return {name: weight.detach().float().cpu().numpy() for name, weight in self.named_parameters()}

    def graph(self, **options: Any) -> GraphNetwork:
        """The same network on ONNX Runtime."""
        arrays = self.arrays()
        weights = self.shape.weights(lambda part: arrays[part.key][part.begin : part.begin + part.shape[0]])
        return GraphNetwork(self.shape.architecture(), weights, **options)
