"""Where the words of a vocabulary start from, when a run goes on from other weights."""

from collections.abc import Sequence

import torch
from tokenizers import Tokenizer
from torch import Tensor

from dllm.train.tokenizer import SPACE, by_merges


def seated(embedding: Tensor, tokenizer: Tokenizer, kinds: Sequence[Sequence[str]]) -> Tensor:
    """An embedding to go on from: with rows for what its vocabulary has gained, and words of a kind told apart.

    A word that was only ever guessed by fashion has a row like its neighbours', and then it cannot be learned to be
    copied: the heads that carry words about find nothing of it to carry. The first kind is one that is copied well.
    Where another lies closer together than half of what that one does, its words take over its distances, and are
    copied as well after a million tokens. A word without the space before it starts as the same word behind one,
    moved by what the space makes on average, and what is quite new as the mean of the pieces it was spelled with.
    """
    pieces, merged = tokenizer.get_vocab(), by_merges(tokenizer)
    old = len(embedding)
    made = torch.cat([embedding, torch.zeros(len(pieces) - old, embedding.shape[1])])
    for piece, token in pieces.items():
        if token >= old:
            made[token] = embedding[merged.encode(piece.replace(SPACE, " ")).ids].mean(0)
    both = [
        [(pieces[word], pieces[SPACE + word]) for word in kind if {word, SPACE + word} <= set(pieces)] for kind in kinds
    ]
    known = torch.tensor([pair for kind in both for pair in kind if max(pair) < old])
    space = (embedding[known[:, 0]] - embedding[known[:, 1]]).mean(0)
    lenders = made[[spaced for _, spaced in both[0]]]
    lent = lenders - lenders.mean(0)
    for kind in filter(None, both):
        bare, spaced = torch.tensor(kind).T
        middle = made[spaced].mean(0)
        if len(spaced) <= len(lent) and (made[spaced] - middle).norm(dim=1).mean() < lent.norm(dim=1).mean() / 2:
            made[spaced] = middle + lent[: len(spaced)]
        made[bare] = made[spaced] + space + 0.25 * embedding.std() * torch.randn(len(bare), made.shape[1])
    return made
