"""The small transformer as it thinks: the numbers of `Transformer`, arranged so that little is done beside products.

Gains lie in the weights behind them, weights lie as products read them, queries and keys are normed and turned
together, and the last layer thinks only for the rows that are needed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from unmask.models.transformer import Layer, Past, Transformer, rope_angles

Product = Callable[[Tensor], Tensor]
NUMBERS = {"fp32": torch.float32, "bf16": torch.bfloat16, "int8": torch.float32}  # int8: of the products' weights alone
EPS = 1e-5


@dataclass(frozen=True, eq=False)
class _Layer:
    look: Product
    gather: Product
    think: Product
    settle: Product
    gain: Tensor  # of queries and keys, [2, 1, D]


class Fused:
    """Reads as `Transformer` does, for thinking alone."""

    def __init__(self, made: Transformer, number: str = "fp32") -> None:
        shape, self.kind = made.shape, NUMBERS[number]
        self.shape = shape
        self.parameters = sum(w.numel() for w in made.parameters())
        with torch.inference_mode():
            table = made.embedding.weight.float()
            # words are read normed, and spoken with the last gain: two tables, so that neither is worked out in a pass
            self.table = F.rms_norm(table, (shape.width,), eps=EPS).to(self.kind)
            self.head = (table * made.last_norm.gain).to(self.kind).t().contiguous()
            self.layers: list[_Layer] = []
            for layer in cast("list[Layer]", list(made.layers)):
                products = (
                    layer.look.weight * layer.before_look.gain,
                    layer.gather.weight,
                    layer.think.weight * layer.before_think.gain,
                    layer.settle.weight,
                )
                gain = torch.stack([layer.query_norm.gain * shape.depth**-0.5, layer.key_norm.gain])[:, None]
                look, gather, think, settle = (_product(w.float(), number) for w in products)
                self.layers.append(_Layer(look, gather, think, settle, gain.float()))
        self.size = table.numel() * self.kind.itemsize
        self.size += (self.parameters - table.numel()) * (1 if number == "int8" else self.kind.itemsize)
        self._rope(shape.length + 1)  # a mark may stand before a text of full length

    def _rope(self, places: int) -> None:
        """For each place and layer, what queries and keys are multiplied by, and the other half of each.

        A pair of numbers turned by an angle (RoPE) after its gain is two products and a sum."""
        half = self.shape.depth // 2
        cos, sin = (x[0, 0] for x in rope_angles(torch.arange(places)[None], self.shape.depth, 1000.0, torch.float32))
        cos, sin = torch.cat([cos, cos], -1)[:, None, None], torch.cat([-sin, sin], -1)[:, None, None]
        rows = [torch.stack([cos * layer.gain, sin * layer.gain.roll(half, -1)], 1) for layer in self.layers]
        self.turned = torch.stack(rows, 1).to(self.kind)  # [places, layers, 2, 2, 1, D]

    def read(
        self,
        ids: Tensor,
        positions: Tensor | None = None,
        attention_mask: Tensor | None = None,
        past: Past | None = None,
        rows: Tensor | None = None,
        states: list[Tensor] | None = None,
    ) -> tuple[Tensor, Past]:
        """Hidden vectors [B, R, W] before the last gain, of these rows or of all, and the lengthened past.

        `attend` [B, L, past + L] says which cell may look where; `states` is filled with what each layer reads."""
        batch, length = ids.shape
        before = past[0][0].shape[2] if past else 0
        upto = before + length if positions is None else int(positions.max()) + 1
        if upto > self.turned.shape[0]:
            self._rope(2 * upto)
        places = slice(before, upto) if positions is None else positions
        if attention_mask is None and self.shape.causal and length > 1:
            attention_mask = torch.ones(1, length, before + length, dtype=torch.bool).tril(before)
        bias = None
        if attention_mask is not None:
            # far below any score, yet finite: a cell that may look nowhere gets an average instead of a NaN
            bias = torch.zeros(attention_mask.shape, dtype=self.kind).masked_fill_(~attention_mask, -1e9)[:, None]

        heads, depth, width = self.shape.heads, self.shape.depth, self.shape.width
        x = torch.embedding(self.table, ids.reshape(-1))  # [B * L, W], as products read it
        grown: Past = []
        for at, (layer, turned) in enumerate(zip(self.layers, self.turned[places].unbind(-5), strict=True)):
            if states is not None:
                states.append(x.view(batch, length, width))
            turn, other = turned.unbind(-4)
            mixed = layer.look(rms_norm(x)).view(batch, length, 3, heads, depth)
            both, value = mixed.split_with_sizes((2, 1), 2)
            both = rms_norm(both)
            both = torch.addcmul(both * turn, both.roll(depth // 2, -1), other)
            query, key = both.transpose(1, 3).unbind(2)  # [B, heads, L, D]
            value = value.transpose(1, 3).squeeze(2)
            if past:
                key, value = torch.cat([past[at][0], key], 2), torch.cat([past[at][1], value], 2)
            grown.append((key, value))
            sight = bias
            if rows is not None and layer is self.layers[-1]:  # nobody reads the others
                x, query = x.view(batch, length, width)[:, rows].view(-1, width), query[:, :, rows]
                sight = None if bias is None else bias[:, :, rows]
            # written out, because on a CPU two products and a softmax beat the fused kernel at these lengths
            score = torch.bmm(query.flatten(0, 1), key.flatten(0, 1).transpose(1, 2))
            if sight is not None:
                score.unflatten(0, (batch, heads)).add_(sight)
            seen = torch.bmm(score.softmax(-1), value.flatten(0, 1))
            seen = seen.view(batch, heads, -1, depth).transpose(1, 2).reshape(-1, width)
            x = layer.gather(seen).add_(x)
            gate, load = layer.think(rms_norm(x)).chunk(2, -1)
            x = layer.settle(F.silu(gate).mul_(load)).add_(x)
        x = x.view(batch, -1, width)
        if states is not None:
            states.append(x)
        return rms_norm(x), grown

    def lm_head(self, hidden: Tensor) -> Tensor:
        """Logits over the vocabulary, one row for every vector that `read` gave."""
        return hidden @ self.head

    def layer_logits(self, states: list[Tensor], rows: Tensor) -> Tensor:
        """What each state would say at these rows if the network ended there: [layers + 1, R, V]."""
        *all_cells, last = states  # the last holds the rows alone
        return self.lm_head(rms_norm(torch.cat([*(x[:, rows] for x in all_cells), last[:, : len(rows)]])))


def rms_norm(x: Tensor) -> Tensor:
    """Over its root mean square, in single precision at the least."""
    if x.dtype != torch.float32:
        return rms_norm(x.float()).to(x.dtype)
    return x * (x * x).mean(-1, keepdim=True).add_(EPS).rsqrt_()


def _product(weight: Tensor, number: str) -> Product:
    """Rows times a weight [out, in], which lies the other way round: a fifth faster than as training keeps it."""
    if number == "int8":
        linear = nn.Linear(weight.shape[1], weight.shape[0], bias=False)
        linear.weight = nn.Parameter(weight.clone(), requires_grad=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a newer home for this is announced; the arithmetic is the same
            (small,) = torch.ao.quantization.quantize_dynamic(nn.Sequential(linear), {nn.Linear}, dtype=torch.qint8)
        return small  # type: ignore[no-any-return]
    lying = weight.to(NUMBERS[number]).t().contiguous()
    return lambda rows: torch.mm(rows, lying)
