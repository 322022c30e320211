"""Where the words of a vocabulary start from, when a run goes on from other weights."""

from collections.abc import Sequence

import torch
from tokenizers import Tokenizer
from torch import Tensor

from pair.train.tokenizer import SPACE, by_merges

FEW = 8  # known words that a kind needs, before its own spread is trusted


def seated(embedding: Tensor, tokenizer: Tokenizer, kinds: Sequence[Sequence[str]], size: int = 0) -> Tensor:
    """An embedding to go on from, with rows for what its vocabulary has gained (up to `size` of them).

    A word that was only ever guessed by fashion has a row like its neighbours', and then it cannot be learned to be
    copied: the heads that carry words about find nothing of it to carry. So a new word of a kind starts at the kind's
    middle, moved as far and in such directions as the kind's known words lie apart: what tells known words apart is
    carried already. The first kind is one that is copied well, and lends its distances to kinds too small or too
    narrow to have their own. A word without the space before it starts as the same word behind one, moved by what the
    space makes on average; what is new and of no kind starts as the mean of the pieces it was spelled with.
    """
    pieces, merged = tokenizer.get_vocab(), by_merges(tokenizer)
    old = len(embedding)
    size = max(size, len(pieces))
    made = torch.cat([embedding, embedding.mean(0).expand(size - old, -1)])
    for piece, token in pieces.items():
        if token >= old:
            spelled = [t for t in merged.encode(piece.replace(SPACE, " ")).ids if t < old]
            made[token] = embedding[spelled].mean(0) if spelled else embedding.mean(0)
    both = [
        [(pieces[word], pieces[SPACE + word]) for word in kind if {word, SPACE + word} <= set(pieces)] for kind in kinds
    ]
    known = [pair for kind in both for pair in kind if max(pair) < old]
    space = torch.stack([embedding[a] - embedding[b] for a, b in known]).mean(0) if known else 0 * embedding[0]
    sources = _apart(embedding[[spaced for _, spaced in both[0] if spaced < old]])
    if len(sources) < FEW:  # nothing is known yet that could lend: any directions do
        sources = embedding.std() * torch.randn(2 * FEW, embedding.shape[1])
    far = sources.norm(dim=1).mean()
    for kind in filter(None, both):
        existing = [spaced for _, spaced in kind if spaced < old]
        middle = made[existing or [spaced for _, spaced in kind]].mean(0)
        own = _apart(made[existing]) if len(existing) >= FEW else sources
        alike = own.norm(dim=1).mean() < far / 2
        spread = sources if alike else own
        for bare, spaced in kind:
            moved = spaced >= old or (alike and len(existing) >= FEW)
            if moved:
                move = torch.randn(len(spread)) @ spread
                made[spaced] = middle + move * spread.norm(dim=1).mean() / move.norm()
            if bare >= old or moved:
                made[bare] = made[spaced] + space + 0.25 * embedding.std() * torch.randn(made.shape[1])
    return made


def _apart(rows: Tensor) -> Tensor:
    """How far each lies from their middle."""
    return rows - rows.mean(0)
