"""Tokens from a table of probabilities: the top k, the argmax in ties, and a sample."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

CHUNK = 256  # tokens summed together in the first search of `sample`
SMALL = 2**13  # table size up to which a plain top-k is faster than chunks: one row of the bundled models


def topk(p: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest values of each row and their indices, without sorting the vocabulary."""
    import torch

    rows, words = p.shape
    width = 64
    if words <= 1024 or rows * words <= SMALL or p.device.type != "cpu":
        return p.topk(min(k, words), dim=-1)
    # the k largest lie in the k chunks whose maxima are largest; maxima are cheap, a top-k of everything is not
    whole = words // width * width
    chunks = (p if whole == words else p[:, :whole]).view(rows, -1, width)
    best = chunks.amax(-1).topk(min(k, whole // width), dim=-1, sorted=False).indices
    chunk_ids, rest = _chunk_ids(whole, words, width)
    candidates = torch.embedding(chunk_ids, best).flatten(1)
    if whole < words:
        candidates = torch.cat([candidates, rest.expand(rows, -1)], 1)
    values, at = p.gather(1, candidates).topk(k, dim=-1)
    return values, candidates.gather(1, at)


@cache
def _chunk_ids(whole: int, words: int, width: int) -> tuple[Tensor, Tensor]:
    """The token ids of each chunk, and those after the last whole chunk."""
    import torch

    return torch.arange(whole).view(-1, width), torch.arange(whole, words)


def prefer_argmax(values: Tensor, ids: Tensor, logits: Tensor) -> Tensor:
    """Where probabilities tie at the top, the proposal is the argmax of the logits, as in published decoders."""
    import torch

    first = logits.argmax(-1, keepdim=True)
    led = torch.cat([first, torch.where(ids[:, 1:] == first, ids[:, :1], ids[:, 1:])], 1)
    return torch.where(values[:, :1] == values[:, 1:2], led, ids)


def sample(p: Tensor, draws: Tensor) -> Tensor:
    """One token a row by inverse CDF, from one uniform draw a row: first a chunk of tokens, then one of them.

    A cumulative sum of the whole table in double precision would cost several times as much."""
    import torch

    rows, words = p.shape
    whole = words // CHUNK * CHUNK
    sums = p[:, :whole].reshape(rows, whole // CHUNK, CHUNK).sum(-1)
    if whole < words:
        sums = torch.cat([sums, p[:, whole:].sum(-1, keepdim=True)], 1)
    cdf = sums.double().cumsum(-1)
    wanted = draws[:, None] * cdf[:, -1:]
    which = torch.searchsorted(cdf, wanted, right=True).clamp_(max=cdf.shape[1] - 1)
    into = (wanted - cdf.gather(1, which)) / sums.gather(1, which).double() + 1  # position within the chunk, 0 to 1
    at = which * CHUNK + torch.arange(CHUNK, device=p.device)
    chunk = p.gather(1, at.clamp(max=words - 1)).double().masked_fill_(at >= words, 0)
    share = chunk.cumsum(-1)
    found = torch.searchsorted(share, into * share[:, -1:], right=True)
    # rounding must not choose a token of probability 0
    last = CHUNK - 1 - chunk.flip(-1).ne(0).to(torch.uint8).argmax(-1, keepdim=True)
    return at.gather(1, torch.minimum(found, last))[:, 0]
