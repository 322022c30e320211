"""A small byte-level vocabulary: any string comes back as it went in, and digits stand alone."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

SEPARATOR, MASK, SKIP = "<|endoftext|>", "<|mask|>", "<|skip|>"
SPACE = "Ġ"  # how a byte-level vocabulary writes one
# a word with the space before it, one digit, marks together, each newline alone
PIECES = Regex(r"""\n| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]+| +(?=\S)|\s+""")


@dataclass(frozen=True)
class Marks:
    """The tokens that are no words: what stands between texts, what is hidden, and a cell too many in a gap."""

    separator: int
    mask: int
    skip: int


def learn(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    """Byte-pair merges learned from these texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(PIECES, "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=vocabulary,
            special_tokens=[SEPARATOR, MASK, SKIP],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return tokenizer


def whole(tokenizer: Tokenizer, words: Iterable[str], room: int) -> Tokenizer:
    """The same vocabulary with up to `room` pieces more, none of the old ones renumbered: these words in one piece.

    Each with and without the space before it: a word that must be spelled behind a quotation mark is not copied there.
    """
    if tokenizer.token_to_id(SKIP) is None:  # a vocabulary from before there was one
        tokenizer.add_special_tokens([SKIP])
        room -= 1
    fields = json.loads(tokenizer.to_str())
    pieces: dict[str, int] = fields["model"]["vocab"]
    pieces.setdefault(SKIP, marks(tokenizer).skip)
    # a word in the vocabulary is one piece even if no merges lead to it
    fields["model"]["ignore_merges"] = True
    full = len(pieces) + room
    for word in words:
        for piece in (word, f"{SPACE}{word}"):
            if len(pieces) < full:
                pieces.setdefault(piece, len(pieces))
    return Tokenizer.from_str(json.dumps(fields))


def by_merges(tokenizer: Tokenizer) -> Tokenizer:
    """The same vocabulary by its merges alone: a word in it is spelled as it was before it became one piece."""
    fields = json.loads(tokenizer.to_str())
    fields["model"]["ignore_merges"] = False
    return Tokenizer.from_str(json.dumps(fields))


def marks(tokenizer: Tokenizer) -> Marks:
    """The ids of what is no word."""
    found = [tokenizer.token_to_id(mark) for mark in (SEPARATOR, MASK, SKIP)]
    known = [token for token in found if token is not None]
    if len(known) < len(found):
        raise ValueError(f"the tokenizer lacks {SEPARATOR}, {MASK} or {SKIP}: it is not one of ours")
    return Marks(*known)


def load_tokenizer(path: Path) -> Tokenizer:
    """The vocabulary in this file."""
    if not path.exists():
        raise FileNotFoundError(f"no tokenizer at {path}: it lies beside the weights, and training writes it")
    return Tokenizer.from_file(str(path))
