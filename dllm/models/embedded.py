"""The pair that ships with the project: a masked denoiser and its causal twin, loaded from assets/models."""

from __future__ import annotations

import contextlib
import copy
import ctypes
import hashlib
import json
import os
import time
import warnings
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dllm.canvas import Card, Refused
from dllm.models import Thought

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

    from dllm.models.transformer import Past, Transformer

OFFERS = ("denoiser", "twin")
FOLDER = Path(__file__).resolve().parents[2] / "assets" / "models"
NUMBERS = ("fp32", "bf16", "int8")
PASTS = 32  # prefixes whose keys and values the twin keeps


def open(family: str, what: str = "", number: str = "", threads: int = 0, **_: Any) -> Embedded:
    """`denoiser` or `twin`; `denoiser:FOLDER` for one trained elsewhere in the same layout."""
    folder = Path(what) if what else FOLDER / family
    return Embedded(folder, number, threads)


class Embedded:
    """A small transformer of our own behind the Denoiser contract."""

    def __init__(self, folder: Path, number: str = "", threads: int = 0) -> None:
        import torch

        _keep_memory()
        config, weights, digest = _read(folder)
        self.speller = _speller(_tokenizer_file(folder))
        network = _network(config, weights)
        self.probe: dict[str, float] = {}
        if not number:
            number, threads, self.probe = _probe(network)
        if threads:
            torch.set_num_threads(threads)
        self.network = _as(network, number)
        self.mask, self.separator = int(config["mask_id"]), int(config["separator_id"])
        self.background = weights.get("background")
        self.pasts: OrderedDict[tuple[int, ...], Past] = OrderedDict()
        causal = bool(config["causal"])
        self.card = Card(
            name="Unmask twin" if causal else "Unmask denoiser",
            family="embedded",
            words=int(config["vocabulary"]),
            longest=int(config["length"]),
            causal=causal,
            ends=(self.separator,),
            never=(self.mask,),
            weights=digest,
            tokenizer=self.speller.digest,
            number=number,
            threads=torch.get_num_threads(),
            licence=str(config.get("licence", "CC BY 4.0")),
            note=str(config.get("note", "")),
            # its documents are short: blocks keep the text in one piece, and what comes behind its end is not awaited
            preset={} if causal else {"preset": "fast-dllm", "settings": {"end": "stop", "end_after": 24}},
        )

    def logits(self, thoughts: Sequence[Thought]) -> list[Tensor]:
        if self.card.causal:
            return [self._onward(t) for t in thoughts]
        if self.card.number != "fp32" or len(thoughts) == 1:
            # in bf16 kernels differ with the batch's size, so a thought is never batched: it equals its solo run
            return [self._read([t])[0] for t in thoughts]
        return self._read(thoughts)

    def _read(self, thoughts: Sequence[Thought]) -> list[Tensor]:
        import torch

        ids = torch.from_numpy(np.stack([np.where(t.open, self.mask, t.tokens) for t in thoughts]))
        positions = attend = None
        if thoughts[0].attend is not None:
            positions = torch.from_numpy(np.stack([t.positions for t in thoughts]))
            attend = torch.from_numpy(np.stack([t.attend for t in thoughts if t.attend is not None]))
        hidden, _ = self.network.read(ids, positions, attend)
        rows = [h[torch.from_numpy(t.rows)] for h, t in zip(hidden, thoughts, strict=True)]
        return [self.network.speak(r) for r in rows]

    def _onward(self, thought: Thought) -> Tensor:
        """The twin: every row wanted is answered from what stands to its left, with keys and values kept."""
        import torch

        if not len(thought.rows):
            return torch.empty(0, self.card.words)
        upto = int(thought.rows.max())
        # the separator stands before every text, so the first cell too has something to its left
        prefix = (self.separator, *thought.tokens[:upto].tolist())
        answers: list[Tensor] = []
        known, past = self._longest_past(prefix[:-1]) if len(thought.rows) == 1 else ((), None)
        fresh = torch.tensor([prefix[len(known) :]])
        hidden, grown = self.network.read(fresh, past=past)
        if len(thought.rows) == 1:
            self._keep(prefix, grown)
            return self.network.speak(hidden[0, -1:])
        answers = [hidden[0, int(row)] for row in thought.rows]
        return self.network.speak(torch.stack(answers))

    def _longest_past(self, prefix: tuple[int, ...]) -> tuple[tuple[int, ...], Past | None]:
        """The longest kept beginning of a prefix."""
        for tokens in sorted(self.pasts, key=len, reverse=True):
            if prefix[: len(tokens)] == tokens:
                self.pasts.move_to_end(tokens)
                return tokens, self.pasts[tokens]
        return (), None

    def _keep(self, prefix: tuple[int, ...], past: Past) -> None:
        self.pasts.pop(prefix[:-1], None)  # one line of text needs only its longest
        self.pasts[prefix] = past
        while len(self.pasts) > PASTS:
            self.pasts.popitem(last=False)


class Words:
    """The tokenizer that both share: bytes in pairs, so that every text comes back as it was."""

    def __init__(self, tokenizer: Tokenizer, digest: str) -> None:
        self.tokenizer, self.digest = tokenizer, digest
        self._bytes = {c: b for b, c in byte_letters().items()}

    def encode(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def decode(self, tokens: Sequence[int]) -> str:
        return str(self.tokenizer.decode([t for t in tokens if t >= 0], skip_special_tokens=True))

    def begin(self, prompt: str) -> list[int]:
        return self.encode(prompt)

    def piece(self, token: int) -> str:
        """A token alone; bytes that are no text on their own show as a replacement mark."""
        letters = self.tokenizer.id_to_token(token)
        if letters is None:
            return "\ufffd"
        if any(c not in self._bytes for c in letters):
            return str(letters)
        return bytes(self._bytes[c] for c in letters).decode("utf-8", errors="replace")


def byte_letters() -> dict[int, str]:
    """The letters by which byte-level tokenizers write bytes: printable ones as themselves, others from 256 on."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {b: chr(b) for b in printable}
    return letters | {b: chr(256 + i) for i, b in enumerate(b for b in range(256) if b not in letters)}


@lru_cache(maxsize=8)
def _speller(path: Path) -> Words:
    from tokenizers import Tokenizer

    try:
        raw = path.read_bytes()
        return Words(Tokenizer.from_file(str(path)), hashlib.sha256(raw).hexdigest()[:16])
    except Exception as error:  # the library raises its own plain Exception
        raise Refused(f"the tokenizer {path.name} is missing or damaged: {error}") from error


def _tokenizer_file(folder: Path) -> Path:
    own = folder / "tokenizer.json"
    return own if own.exists() else folder.parent / "tokenizer.json"


def _read(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor], str]:
    """Config, weights and their hash; a sentence where something is missing, damaged or not what it says."""
    from safetensors.torch import load

    try:
        config = json.loads((folder / "config.json").read_text())
        shards = sorted(folder.glob("model-*.safetensors"))
        if not shards:
            raise Refused(f"there are no weights in {folder.name}")
        weights: dict[str, Tensor] = {}
        digest = hashlib.sha256()
        for shard in shards:
            raw = shard.read_bytes()
            digest.update(raw)
            weights |= load(raw)
    except Refused:
        raise
    except Exception as error:  # safetensors has an exception of its own for a damaged file
        raise Refused(f"the model in {folder.name} cannot be read: {error}") from error
    needed = ("vocabulary", "width", "layers", "heads", "length", "causal", "mask_id", "separator_id", "sha256")
    if lacks := [k for k in needed if not isinstance(config, dict) or k not in config]:
        raise Refused(f"the config in {folder.name} is not a model's: it lacks {', '.join(lacks)}")
    if config["sha256"] != digest.hexdigest():
        raise Refused(f"the weights in {folder.name} are not the ones its config names: their hash differs")
    return config, weights, digest.hexdigest()


def _keep_memory() -> None:
    """Let freed memory stay with the process: fresh pages cost several times what is computed in them (glibc only)."""
    with contextlib.suppress(OSError, AttributeError):
        c = ctypes.CDLL("libc.so.6")
        c.mallopt(-3, 1 << 30)  # M_MMAP_THRESHOLD
        c.mallopt(-1, (1 << 31) - 1)  # M_TRIM_THRESHOLD


def _network(config: dict[str, Any], weights: dict[str, Tensor]) -> Transformer:
    import torch

    from dllm.models.transformer import Shape, Transformer

    names = ("vocabulary", "width", "layers", "heads", "length", "causal")
    with torch.device("meta"):
        network = Transformer(Shape(**{n: config[n] for n in names}))
    wanted = {k: v for k, v in weights.items() if k != "background"}
    try:
        missing, extra = network.load_state_dict(wanted, strict=False, assign=True)
    except RuntimeError as error:  # a shape of another network
        raise Refused(f"the weights do not fit: {error}") from error
    if missing or extra:
        raise Refused(f"the weights do not fit: missing {missing[:3]}, unknown {extra[:3]}")
    return network.eval()


def _as(network: Transformer, number: str) -> Transformer:
    """The network in a number type; int8 keeps the products' weights in bytes."""
    import torch

    if number not in NUMBERS:
        raise Refused(f"no number type '{number}'; there are {', '.join(NUMBERS)}")
    if number != "int8":
        return copy.deepcopy(network).to({"fp32": torch.float32, "bf16": torch.bfloat16}[number])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a newer home for this is announced; the arithmetic is the same
        small: Transformer = torch.ao.quantization.quantize_dynamic(
            copy.deepcopy(network).float(), {torch.nn.Linear}, dtype=torch.qint8
        )
    return small


def _probe(network: Transformer) -> tuple[str, int, dict[str, float]]:
    """The number type and thread count that think a canvas of 128 cells fastest on this machine, in ms each."""
    import torch

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    ids, took = torch.zeros(1, 128, dtype=torch.long), {}
    for number in NUMBERS:
        try:
            trial = _as(network, number)
        except (RuntimeError, NotImplementedError):  # no kernels for this type on this processor
            continue
        for threads in sorted({1, min(cores, 2), cores}):
            torch.set_num_threads(threads)
            times = []
            with torch.inference_mode():
                for _ in range(4):
                    began = time.perf_counter()
                    trial.speak(trial.read(ids)[0])
                    times.append(time.perf_counter() - began)
            took[f"{number} {threads}"] = round(1000 * min(times), 2)
    best = min(took, key=lambda k: took[k])
    return best.split()[0], int(best.split()[1]), took
