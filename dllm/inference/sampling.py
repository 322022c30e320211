"""Tokens picked from a table of probabilities: the largest few, the first among equals, one drawn by luck."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

STRETCH = 256  # words whose sum is looked at first
SMALL = 2**13  # numbers that are sorted sooner than parted: one row of the embedded pair


def topk(p: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest of each row and where they are, without sorting the vocabulary."""
    import torch

    rows, words = p.shape
    side = 64
    if words <= 1024 or rows * words <= SMALL or p.device.type != "cpu":
        return p.topk(min(k, words), dim=-1)
    # the k largest lie in the k chunks whose maxima are largest; maxima are cheap, a top-k of everything is not
    whole = words // side * side
    chunks = (p if whole == words else p[:, :whole]).view(rows, -1, side)
    best = chunks.amax(-1).topk(min(k, whole // side), dim=-1, sorted=False).indices
    insides, rest = _insides(whole, words, side)
    inside = torch.embedding(insides, best).flatten(1)
    if whole < words:
        inside = torch.cat([inside, rest.expand(rows, -1)], 1)
    values, at = p.gather(1, inside).topk(k, dim=-1)
    return values, inside.gather(1, at)


@cache
def _insides(whole: int, words: int, side: int) -> tuple[Tensor, Tensor]:
    """The places of each chunk, and those behind all chunks."""
    import torch

    return torch.arange(whole).view(-1, side), torch.arange(whole, words)


def prefer_argmax(values: Tensor, ids: Tensor, logits: Tensor) -> Tensor:
    """Where probabilities tie at the top, the proposal is the argmax of the logits, as in published decoders."""
    import torch

    first = logits.argmax(-1, keepdim=True)
    led = torch.cat([first, torch.where(ids[:, 1:] == first, ids[:, :1], ids[:, 1:])], 1)
    return torch.where(values[:, :1] == values[:, 1:2], led, ids)


def sample(p: Tensor, draws: Tensor) -> Tensor:
    """One token a row by inverse CDF, from one uniform draw a row: first a stretch of words, then one of them.

    Sums of the whole table in double precision would cost several times as much as the table."""
    import torch

    rows, words = p.shape
    whole = words // STRETCH * STRETCH
    sums = p[:, :whole].reshape(rows, whole // STRETCH, STRETCH).sum(-1)
    if whole < words:
        sums = torch.cat([sums, p[:, whole:].sum(-1, keepdim=True)], 1)
    cdf = sums.double().cumsum(-1)
    wanted = draws[:, None] * cdf[:, -1:]
    which = torch.searchsorted(cdf, wanted, right=True).clamp_(max=cdf.shape[1] - 1)
    into = (wanted - cdf.gather(1, which)) / sums.gather(1, which).double() + 1  # how far into the stretch, 0 to 1
    at = which * STRETCH + torch.arange(STRETCH, device=p.device)
    inside = p.gather(1, at.clamp(max=words - 1)).double().masked_fill_(at >= words, 0)
    share = inside.cumsum(-1)
    found = torch.searchsorted(share, into * share[:, -1:], right=True)
    last = STRETCH - 1 - inside.flip(-1).ne(0).to(torch.uint8).argmax(-1, keepdim=True)  # rounding finds no word of 0
    return at.gather(1, torch.minimum(found, last))[:, 0]
