"""A small byte-level vocabulary: any string comes back as it went in, and digits stand alone."""

import json
from collections.abc import Iterable
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

SEPARATOR, MASK = "<|endoftext|>", "<|mask|>"
SPACE = "Ġ"  # how a byte-level vocabulary writes one
# a word with the space before it, one digit, marks together, each newline alone
PIECES = Regex(r"""\n| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]+| +(?=\S)|\s+""")


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
            special_tokens=[SEPARATOR, MASK],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return tokenizer


def whole(tokenizer: Tokenizer, words: Iterable[str], room: int) -> Tokenizer:
    """The same vocabulary with up to `room` pieces more, none of the old ones renumbered: these words in one piece.

    Each with and without the space before it: a word that must be spelled behind a quotation mark is not copied there.
    """
    told = json.loads(tokenizer.to_str())
    pieces: dict[str, int] = told["model"]["vocab"]
    # a word in the vocabulary is one piece even if no merges lead to it
    told["model"]["ignore_merges"] = True
    full = len(pieces) + room
    for word in words:
        for piece in (word, f"{SPACE}{word}"):
            if len(pieces) < full:
                pieces.setdefault(piece, len(pieces))
    return Tokenizer.from_str(json.dumps(told))


def by_merges(tokenizer: Tokenizer) -> Tokenizer:
    """The same vocabulary by its merges alone: a word in it is spelled as it was before it became one piece."""
    told = json.loads(tokenizer.to_str())
    told["model"]["ignore_merges"] = False
    return Tokenizer.from_str(json.dumps(told))


def marks(tokenizer: Tokenizer) -> tuple[int, int]:
    """The ids of the separator and of the mask."""
    separator, mask = tokenizer.token_to_id(SEPARATOR), tokenizer.token_to_id(MASK)
    if separator is None or mask is None:
        raise ValueError(f"the tokenizer lacks {SEPARATOR} or {MASK}: it is not one of ours")
    return int(separator), int(mask)


def opened(path: Path) -> Tokenizer:
    """The vocabulary in this file."""
    if not path.exists():
        raise FileNotFoundError(f"no tokenizer at {path}: it lies beside the weights, and training writes it")
    return Tokenizer.from_file(str(path))
