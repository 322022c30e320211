"""The small transformer optimised for inference: the same function as `Transformer`, with less work beside the matmuls.

Norm gains are folded into the weights after them, weights are stored transposed, queries and keys are normalised and
rotated together, and the last layer computes only the requested rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from unmask.models.transformer import Layer, Past, Transformer, rope_angles

MatMul = Callable[[Tensor], Tensor]
NUMBERS = {
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "int8": torch.float32,
}  # int8: the layers' weights only; the rest stays in float32
EPS = 1e-5


@dataclass(frozen=True, eq=False)
class _Layer:
    """The matmuls of one layer, named as in `transformer.Layer`."""

    look: MatMul
    gather: MatMul
    think: MatMul
    settle: MatMul
    gain: Tensor  # norm gains of queries and keys, [2, 1, D]


class Fused:
    """`Transformer` for inference only."""

    def __init__(self, trained: Transformer, number: str = "fp32") -> None:
        shape, self.dtype = trained.shape, NUMBERS[number]
        self.shape = shape
        self.parameters = sum(w.numel() for w in trained.parameters())
        with torch.inference_mode():
            table = trained.embedding.weight.float()
            # the input embedding is stored normalised, the output one with the last gain: neither is computed in a pass
            self.table = F.rms_norm(table, (shape.width,), eps=EPS).to(self.dtype)
            self.head = (table * trained.last_norm.gain).to(self.dtype).t().contiguous()
            self.layers: list[_Layer] = []
            for layer in cast("list[Layer]", list(trained.layers)):
                products = (
                    layer.look.weight * layer.before_look.gain,
                    layer.gather.weight,
                    layer.think.weight * layer.before_think.gain,
                    layer.settle.weight,
                )
                gain = torch.stack([layer.query_norm.gain * shape.depth**-0.5, layer.key_norm.gain])[:, None]
                look, gather, think, settle = (_matmul(w.float(), number) for w in products)
                self.layers.append(_Layer(look, gather, think, settle, gain.float()))
        self.size = table.numel() * self.dtype.itemsize
        self.size += (self.parameters - table.numel()) * (1 if number == "int8" else self.dtype.itemsize)
        self._rope(shape.length + 1)  # the separator may precede a text of full length

    def _rope(self, length: int) -> None:
        """Precomputes, for each position and layer, the factors that apply norm gain and RoPE to queries and keys.

        Gain and rotation together are two multiplications and an addition."""
        half = self.shape.depth // 2
        cos, sin = (x[0, 0] for x in rope_angles(torch.arange(length)[None], self.shape.depth, 1000.0, torch.float32))
        cos, sin = torch.cat([cos, cos], -1)[:, None, None], torch.cat([-sin, sin], -1)[:, None, None]
        rows = [torch.stack([cos * layer.gain, sin * layer.gain.roll(half, -1)], 1) for layer in self.layers]
        self.rope = torch.stack(rows, 1).to(self.dtype)  # [places, layers, 2, 2, 1, D]

    def read(
        self,
        ids: Tensor,
        positions: Tensor | None = None,
        attention_mask: Tensor | None = None,
        past: Past | None = None,
        rows: Tensor | None = None,
        states: list[Tensor] | None = None,
    ) -> tuple[Tensor, Past]:
        """Hidden vectors [B, R, W] before the last gain, of these rows or of all, and the extended KV cache.

        `attention_mask` [B, L, past + L]: row attends to column; `states` receives each layer's input."""
        batch, length = ids.shape
        before = past[0][0].shape[2] if past else 0
        upto = before + length if positions is None else int(positions.max()) + 1
        if upto > self.rope.shape[0]:
            self._rope(2 * upto)
        selected = slice(before, upto) if positions is None else positions
        if attention_mask is None and self.shape.causal and length > 1:
            attention_mask = torch.ones(1, length, before + length, dtype=torch.bool).tril(before)
        bias = None
        if attention_mask is not None:
            # finite, so that a cell that attends to nothing gets an average instead of a NaN
            bias = torch.zeros(attention_mask.shape, dtype=self.dtype).masked_fill_(~attention_mask, -1e9)[:, None]

        heads, depth, width = self.shape.heads, self.shape.depth, self.shape.width
        x = torch.embedding(self.table, ids.reshape(-1))  # [B * L, W]
        extended: Past = []
        for at, (layer, rope) in enumerate(zip(self.layers, self.rope[selected].unbind(-5), strict=True)):
            if states is not None:
                states.append(x.view(batch, length, width))
            scale, rolled_scale = rope.unbind(-4)
            mixed = layer.look(rms_norm(x)).view(batch, length, 3, heads, depth)
            both, value = mixed.split_with_sizes((2, 1), 2)
            both = rms_norm(both)
            both = torch.addcmul(both * scale, both.roll(depth // 2, -1), rolled_scale)
            query, key = both.transpose(1, 3).unbind(2)  # [B, heads, L, D]
            value = value.transpose(1, 3).squeeze(2)
            if past:
                key, value = torch.cat([past[at][0], key], 2), torch.cat([past[at][1], value], 2)
            extended.append((key, value))
            row_bias = bias
            if rows is not None and layer is self.layers[-1]:  # the other rows are not needed
                x, query = x.view(batch, length, width)[:, rows].view(-1, width), query[:, :, rows]
                row_bias = None if bias is None else bias[:, :, rows]
            # written out, because on a CPU two products and a softmax beat the fused kernel at these lengths
            score = torch.bmm(query.flatten(0, 1), key.flatten(0, 1).transpose(1, 2))
            if row_bias is not None:
                score.unflatten(0, (batch, heads)).add_(row_bias)
            seen = torch.bmm(score.softmax(-1), value.flatten(0, 1))
            seen = seen.view(batch, heads, -1, depth).transpose(1, 2).reshape(-1, width)
            x = layer.gather(seen).add_(x)
            gate, load = layer.think(rms_norm(x)).chunk(2, -1)
            x = layer.settle(F.silu(gate).mul_(load)).add_(x)
        x = x.view(batch, -1, width)
        if states is not None:
            states.append(x)
        return rms_norm(x), extended

    def lm_head(self, hidden: Tensor) -> Tensor:
        """Logits over the vocabulary, one row for every vector that `read` gave."""
        return hidden @ self.head

    def layer_logits(self, states: list[Tensor], rows: Tensor) -> Tensor:
        """Logit lens: the logits of each layer's state at these rows, [layers + 1, R, V]."""
        *all_cells, last = states  # the last state holds only these rows
        return self.lm_head(rms_norm(torch.cat([*(x[:, rows] for x in all_cells), last[:, : len(rows)]])))


def rms_norm(x: Tensor) -> Tensor:
    """Divides by the root mean square, in float32 at least."""
    if x.dtype != torch.float32:
        return rms_norm(x.float()).to(x.dtype)
    return x * (x * x).mean(-1, keepdim=True).add_(EPS).rsqrt_()


def _matmul(weight: Tensor, number: str) -> MatMul:
    """A function that multiplies rows by a weight [out, in], stored transposed: a fifth faster than as trained."""
    if number == "int8":
        linear = nn.Linear(weight.shape[1], weight.shape[0], bias=False)
        linear.weight = nn.Parameter(weight.clone(), requires_grad=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch announces that this function moves; the arithmetic is the same
            (small,) = torch.ao.quantization.quantize_dynamic(nn.Sequential(linear), {nn.Linear}, dtype=torch.qint8)
        return small  # type: ignore[no-any-return]
    transposed = weight.to(NUMBERS[number]).t().contiguous()
    return lambda rows: torch.mm(rows, transposed)
