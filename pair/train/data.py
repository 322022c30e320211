"""Rows to train on: worlds and tales as tokens, packed so that documents end where rows end."""

import lzma
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from pair.train import documents
from pair.train.documents import TrainingText
from pair.train.names import invented
from pair.train.tokenizer import SPACE, marks
from unmask.config import config
from unmask.pair.worlds.words import CHILDREN

APART = 150  # tales that are never trained on
STRANGERS = 4000  # names to choose from
LENGTHS = (128, 256)  # a person chooses the canvas, so the model meets several
BEGINNING = 72  # cells of a story: its first sentences, which say what is told


@dataclass(frozen=True)
class VocabularyFeatures:
    """What must be known of the vocabulary to see that a word returns, and where a sentence ends."""

    alike: NDArray[np.uint16]  # [V], one number for a word with and without the space before it
    digits: NDArray[np.bool_]  # [V], which are matter however common they are
    ends: NDArray[np.bool_]  # [V], a full stop and its like, with or without a quotation mark behind it
    names: NDArray[np.bool_]  # [V], a child's
    asks: NDArray[np.bool_]  # [V], what a line that asks for words begins with
    points: NDArray[np.bool_]  # [V], without a letter or a digit
    strangers: NDArray[np.uint16]  # [S, P], unseen names in pieces, padded with zeros


WORDS = tuple(field.name for field in fields(VocabularyFeatures))


@dataclass(frozen=True)
class Rows:
    """Packed documents of one length."""

    ids: NDArray[np.uint16]  # [N, L]
    prompt: NDArray[np.bool_]  # [N, L], the part of each document that a person would have given
    words: VocabularyFeatures

    @cached_property
    def common(self) -> NDArray[np.bool_]:
        """For each token, whether its word stands in more than one row of twelve: grammar rather than matter."""
        some = self.words.alike[self.ids[:4096]]
        counts = np.zeros(len(self.words.alike), np.int64)
        for row in some:
            counts[np.unique(row)] += 1
        return (counts * 12 > len(some))[self.words.alike] & ~self.words.digits


def words(tokenizer: Tokenizer) -> VocabularyFeatures:
    """The words of a vocabulary."""
    spelled = tokenizer.get_vocab()
    alike = np.arange(len(spelled), dtype=np.uint16)
    digits, ends, names, asks, points = (np.zeros(len(spelled), bool) for _ in range(5))
    children = {*CHILDREN}
    for piece, token in spelled.items():
        plain = piece.removeprefix(SPACE)
        alike[token] = spelled.get(plain, token)
        digits[token] = plain.isdigit()
        ends[token] = re.fullmatch(r'[.!?]+"?', plain) is not None
        names[token] = plain in children
        asks[token] = plain == "Words"
        points[token] = not any(map(str.isalnum, plain))
    return VocabularyFeatures(alike, digits, ends, names, asks, points, strangers(tokenizer))


def strangers(tokenizer: Tokenizer) -> NDArray[np.uint16]:
    """Unseen names, with a space before each."""
    rng = Random("strangers")
    spelled = [tokenizer.encode(f" {invented(rng)}").ids for _ in range(STRANGERS)]
    longest = max(map(len, spelled))
    return np.array([[*pieces, *[0] * (longest - len(pieces))] for pieces in spelled], np.uint16)


Piece = tuple[list[int], int]  # the tokens of a document, and how many of them are its question


def tales(source: str | None) -> list[str]:
    """Short, simple stories from a folder of text, a file or a data set on the hub; none if there is no source."""
    if source is None:
        return []
    path = Path(source)
    if path.is_dir():
        path = path / "tinystories.txt.xz"
    if path.suffix == ".xz" and path.exists():
        whole = lzma.decompress(path.read_bytes()).decode("utf-8").split("<|endoftext|>")
    elif path.exists():
        whole = path.read_text(encoding="utf-8").split("<|endoftext|>")
    elif re.fullmatch(r"[\w.-]+/[\w.-]+", source) and not source.startswith("."):
        whole = from_hub(source)
    else:
        raise FileNotFoundError(
            f"no text at {source}: give a folder with tinystories.txt.xz, or --dataset roneneldan/TinyStories, "
            "or neither: the worlds alone are enough to train on"
        )
    tidy = (" ".join(text.split()) for text in whole)
    return [f"Tale: {text}" for text in tidy if 200 < len(text) < 1000 and text.isascii() and text[-1] in '.!?"']


def from_hub(name: str) -> list[str]:
    """The first text file of a public data set, by the ordinary hub client."""
    from huggingface_hub import HfApi, hf_hub_download

    files = [file for file in HfApi().list_repo_files(name, repo_type="dataset") if file.endswith(".txt")]
    files.sort(key=lambda file: ("train" not in file, file))
    if not files:
        raise FileNotFoundError(f"the data set {name} has no .txt file: give a folder, or train on the worlds alone")
    fetched = hf_hub_download(name, files[0], repo_type="dataset")  # nosec B615: text, which the person names
    return Path(fetched).read_text(encoding="utf-8").split("<|endoftext|>")


def default_source() -> str | None:
    """Where training text lies unless somebody says otherwise."""
    beside = Path("../shared/data")
    return config().data or (str(beside) if beside.exists() else None)


def pieces(
    tokenizer: Tokenizer,
    split: str,
    seed: int,
    stories: list[str],
    share: float = documents.TALES,
    taught: Sequence[TrainingText] = (),
) -> Iterator[Piece]:
    """Documents without end, as tokens."""
    return spell(tokenizer, documents.documents(split, seed, stories, share, taught))


def spell(tokenizer: Tokenizer, stream: Iterator[TrainingText]) -> Iterator[Piece]:
    """Texts as tokens, and how many of each a person would have given."""
    while True:
        texts, asks = zip(*islice(stream, 512), strict=True)
        read = zip(tokenizer.encode_batch_fast([*texts]), tokenizer.encode_batch_fast([*asks]), strict=True)
        yield from ((whole.ids, len(ask.ids)) for whole, ask in read)


def packed(
    stream: Iterator[Piece], length: int, count: int, separator: int, spelled: VocabularyFeatures, padded: float = 0.06
) -> Rows:
    """Rows of whole documents: in the order they come, and the last one is the one that fits best."""
    ids = np.full((count, length), separator, np.uint16)
    prompt = np.zeros((count, length), bool)
    rng = Random(f"packed {length} {count}")
    shelf: dict[int, list[Piece]] = defaultdict(list)  # documents waiting for a room of their size

    def stock(pieces: int) -> None:
        for piece in islice(stream, pieces):
            waiting = shelf[len(piece[0])]
            waiting.append(piece)
            if len(waiting) > 64:
                waiting.pop(0)

    stock(min(4096, 64 * count))
    for row in range(count):
        at = 0
        while (room := length - at) > 8:
            piece = next(stream)
            if len(piece[0]) > room:
                stock(2)
                fit = next((size for size in range(room, 7, -1) if shelf.get(size)), None)
                if fit is None:
                    break
                piece = shelf[fit].pop(rng.randrange(len(shelf[fit])))
            tokens, ask = piece
            ids[row, at : at + len(tokens)] = tokens
            prompt[row, at : at + ask] = True
            at += len(tokens) + 1
            if rng.random() < padded / 2:
                break
    return Rows(ids, prompt, spelled)


def prepare(
    tokenizer: Tokenizer,
    tokens: int,
    seed: int,
    stories: list[str],
    split: str = "train",
    lengths: tuple[int, ...] = LENGTHS,
    taught: Sequence[TrainingText] = (),
) -> dict[int, Rows]:
    """About this many tokens, shared among the lengths."""
    separator = marks(tokenizer).separator
    spelled = words(tokenizer)
    return {
        length: packed(
            pieces(tokenizer, split, seed * 10 + at, stories, taught=taught),
            length,
            max(1, tokens // len(lengths) // length),
            separator,
            spelled,
        )
        for at, length in enumerate(lengths)
    }


def beginnings(tokenizer: Tokenizer, tokens: int, seed: int, taught: Sequence[TrainingText] = ()) -> Rows:
    """Rows of one story each under a line that asks for words, cut off where its plot is known: so more plots
    are chosen for as many tokens."""
    ids = np.full((max(1, tokens // BEGINNING), BEGINNING), marks(tokenizer).separator, np.uint16)
    prompt = np.zeros(ids.shape, bool)
    stream = spell(tokenizer, documents.stories_with_words(seed, taught))
    for row, (piece, given) in enumerate(islice(stream, len(ids))):
        ids[row, : len(piece)] = piece[:BEGINNING]
        prompt[row, :given] = True
    return Rows(ids, prompt, words(tokenizer))


def save(rows: dict[int, Rows], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, Any] = {f"ids{length}": it.ids for length, it in rows.items()}
    arrays |= {f"asked{length}": it.prompt for length, it in rows.items()}  # as files made so far call it
    spelled = next(iter(rows.values())).words
    np.savez(path, **{name: getattr(spelled, name) for name in WORDS}, **arrays)


def load(path: Path) -> dict[int, Rows]:
    with np.load(path) as kept:
        if missing := {*WORDS} - set(kept.files):
            raise ValueError(f"{path} was written before rows knew their {', '.join(sorted(missing))}: remove it")
        lengths = sorted(int(name[3:]) for name in kept.files if name.startswith("ids"))
        spelled = VocabularyFeatures(*(kept[name] for name in WORDS))
        return {length: Rows(kept[f"ids{length}"], kept[f"asked{length}"], spelled) for length in lengths}
