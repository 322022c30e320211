"""The pair that ships with the project: a masked denoiser and its causal twin, loaded from assets/models."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unmask.canvas import BaseTokenizer, Card
from unmask.errors import InvalidRequest
from unmask.extras import require
from unmask.models.array_ops import on_device
from unmask.models.bundled_network import TransformerNetwork
from unmask.models.checkpoint_weights import TensorFiles
from unmask.models.family import Family
from unmask.models.graph import TransformerConfig
from unmask.models.graph_network import GraphNetwork, OwnNetwork
from unmask.models.hub import selftest
from unmask.models.hub.adapter import AdapterParts, Causal, Masked
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.hub.drafting import Drafting, DraftingAdapter
from unmask.models.hub.hardware import pick_device
from unmask.models.hub.proofread import Proofread
from unmask.models.interface import Denoiser, Finish
from unmask.paths import ASSETS

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FOLDER = ASSETS / "models"
SKIP = "<|skip|>"  # fills a surplus cell of a gap; it is no text
# of its records, as in `pair.worlds.record`
FIELDS = tuple("name age town pet likes item count coins day event place hour host".split())
FIELDS += tuple("colour owner reward visits job hobby".split())
# number types of each engine, the default first: the same on every processor, and so the text of a seed
ENGINES = {"onnx": ("fp32", "int8"), "torch": ("fp32", "bf16")}
KNOWS = "small stories, recipes, lists and puzzles"
THREADS = 1  # the pair is small: a second forward beside it gains more than a second thread inside
# built-in name: folder of its weights, and its mode if not the default
BUILTIN_NAMES = {"denoiser": ("denoiser", ""), "twin": ("twin", ""), "fast": ("twin", "block")}
NOTES: dict[type[Masked], str] = {
    Masked: "It sees the whole canvas at every pass, so what you pin anywhere is followed.",
    Proofread: "It sees the whole canvas at every pass, so what you pin anywhere is followed. Its twin then reads the "
    "text from left to right, and words that the twin finds unlikely are rewritten.",
    DraftingAdapter: "The twin's own weights: twelve words are drafted at once and verified from left to right, so "
    "the text is the twin's, word for word, in fewer passes. It does not see pins after the current block.",
}
# the page's default: with proofreading, fast drafts are as good as slow ones (`docs/history.md`)
CANVAS: dict[str, Any] = {"preset": "draft-and-proofread", "settings": {"end": "stop"}}
# without proofreading, 0.95 is as good as one token a pass, 0.9 is not
ALONE: dict[str, Any] = {"preset": "fast-dllm", "settings": {"end": "stop", "options": {"tau": 0.95}}}
PRESETS: dict[type[Masked], dict[str, Any]] = {
    Masked: ALONE,
    Proofread: CANVAS,
    Causal: {"preset": "autoregressive", "settings": {"end": "stop"}},
    DraftingAdapter: {"preset": "draft-and-verify", "settings": {"end": "stop"}},
}
NAMES = {"canvas": "Unmask denoiser", "block": "Unmask fast", "ar": "Unmask twin"}
ADAPTERS: dict[str, type[Masked]] = {"canvas": Masked, "ar": Causal, "block": DraftingAdapter}


@dataclass(frozen=True)
class Engine:
    """What computes a network, and how."""

    name: str
    number: str
    device: str
    threads: int


def pick_engine(name: str = "", number: str = "", device: str = "", threads: int | str = 0) -> Engine:
    """ONNX Runtime on the CPU, unless torch is asked for, or a device or number type that only torch has."""
    device = pick_device(device) if device else "cpu"
    name = name or ("torch" if device != "cpu" or number == "bf16" else "onnx")
    if name not in ENGINES:
        raise InvalidRequest(f"no engine '{name}'; there are {', '.join(ENGINES)}")
    if name == "torch":
        require("torch", "the engine torch")
    if number and number not in ENGINES[name]:
        every = sorted({one for numbers in ENGINES.values() for one in numbers})
        raise InvalidRequest(f"no number type '{number}' on the engine {name}; there are {', '.join(every)}")
    if name == "onnx" and device != "cpu":
        raise InvalidRequest(f"the engine onnx runs on the CPU, not on '{device}': load it with engine=torch")
    if not str(threads).isdigit():
        raise InvalidRequest(f"threads is a number, not '{threads}'")
    return Engine(name, number or ENGINES[name][0], device, int(threads) or THREADS)


def prepare(
    family: str,
    what: str = "",
    number: str = "",
    threads: int | str = 0,
    mode: str = "",
    engine: str = "",
    device: str = "",
    **_: Any,
) -> Finish:
    """`denoiser`, `twin` or `fast`; `denoiser:FOLDER` for another model in the same layout.

    `fast` is the twin's weights in another mode. A config with `both` has three modes: `block`, `canvas`, `ar`."""
    chosen = pick_engine(engine, number, device, threads)
    weights_of, default = BUILTIN_NAMES[family]
    folder, mode = Path(what) if what else FOLDER / weights_of, mode or default
    config, files, digest = _read_folder(folder)
    tokenizer = _tokenizer(_tokenizer_file(folder))
    background = files.whole("background") if "background" in files.tensors else None
    adapter = _adapter(config, mode)
    # a forward without an attention mask is causal, in every mode but `canvas`
    network = _network(folder, config, files, chosen, adapter is not Masked)
    reader = _reader(folder, config, chosen) if adapter is Masked else None

    def finish() -> Denoiser:
        card = replace(
            _card(config, adapter, adapter if reader is None else Proofread),
            words=network.words,
            weights=digest,
            tokenizer=tokenizer.digest,
            number=chosen.number,
            threads=chosen.threads,
            device=chosen.device,
            size=network.size + (reader.size if reader else 0),
            parameters=network.parameters,
        )
        mask, separator = int(config["mask_id"]), int(config["separator_id"])
        both = bool(config.get("both"))
        leads = adapter.causal or both  # the separator precedes every text, so the first cell has a token to its left
        spec = CheckpointSpec("", config, shift=both and not adapter.causal, longest=card.longest)
        parts = AdapterParts(network, spec, card, tokenizer, mask, first=separator if leads else None)
        denoiser = adapter(parts) if reader is None else Proofread(parts, reader, separator, config.get("skip_id"))
        if isinstance(denoiser, DraftingAdapter):
            denoiser.drafting = Drafting(network, separator, mask)
        if background is not None:
            denoiser.background = on_device(network.device, background)
        # torch sums some batches in another order than their rows alone, bf16 with matrix units above all
        denoiser.shares = chosen.name == "onnx" and selftest.batches_exactly(denoiser, 32, (2, 8))
        denoiser.concurrent = adapter is Masked  # the others have a KV cache
        return denoiser

    return finish


def _card(config: dict[str, Any], adapter: type[Masked], kind: type[Masked]) -> Card:
    """What a configuration says of its model in a mode; `kind` is the adapter with its reader, if it has one."""
    skip = config.get("skip_id")
    gapless = adapter.causal or adapter.both  # skip tokens fill the surplus cells of a gap
    return Card(
        name=str(config.get("name") or next(NAMES[mode] for mode in ADAPTERS if ADAPTERS[mode] is adapter)),
        family="embedded",
        words=0,
        longest=int(config["length"]),
        causal=adapter.causal,
        blockwise=adapter.blockwise,
        both=kind.both,
        ends=(int(config["separator_id"]),),
        never=(int(config["mask_id"]), *([skip] if skip is not None and gapless else [])),
        skips=() if skip is None or gapless else (skip,),
        licence=str(config.get("licence", "CC BY 4.0")),
        note=str(config.get("note") or NOTES.get(kind, "")),
        preset=PRESETS.get(kind, {}),
        calibration=() if adapter.both else tuple(config.get("calibration", ())),
        hesitant=float(config.get("hesitant", 0.0)),
        knows=str(config.get("knows", KNOWS)),
        record="Text: {}\nJSON:",
        fields=FIELDS,
        titles=tuple(config.get("titles", ())),
        word_titles=("Story",) if "Words" in config.get("titles", ()) else (),
    )


def builtin_card(name: str) -> dict[str, Any]:
    """The parts of a bundled model's card that the page needs before the model is loaded."""
    folder = FOLDER / BUILTIN_NAMES.get(name, (name, ""))[0]
    if not (folder / "config.json").exists():
        return {}
    count = 0
    for shard in folder.glob("model-*.safetensors"):
        with shard.open("rb") as file:  # the header lists every tensor
            head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        count += sum(math.prod(row["shape"]) for key, row in head.items() if key not in ("__metadata__", "background"))
    knows = json.loads((folder / "config.json").read_text()).get("knows", KNOWS)
    return {"parameters": count, "knows": knows, "trained": True}


def decoding_mode(name: str) -> dict[str, Any]:
    """A model's default preset before it is loaded: proofreading for the bundled denoiser if it has a reader."""
    config = FOLDER / "denoiser" / "config.json"
    reads = name == "denoiser" and config.exists() and json.loads(config.read_text()).get("reader")
    return CANVAS if reads else ALONE


@cache
def available_builtins() -> tuple[str, ...]:
    """The built-in names whose weights are installed, the denoiser first."""
    found = []
    for name, (weights_of, mode) in BUILTIN_NAMES.items():
        config = FOLDER / weights_of / "config.json"
        if config.exists() and (not mode or json.loads(config.read_text()).get("both")):
            found.append(name)
    return tuple(found)


def _adapter(config: dict[str, Any], mode: str) -> type[Masked]:
    """The adapter of a mode: autoregressive, by blocks, or the whole canvas."""
    default = "ar" if config["causal"] else "block" if config.get("both") else "canvas"
    if mode and mode != default and not (config.get("both") and mode in ADAPTERS):
        raise InvalidRequest(
            f"no mode '{mode}' for this model; there is {', '.join(ADAPTERS) if config.get('both') else default}"
        )
    return ADAPTERS[mode or default]


def _reader(folder: Path, config: dict[str, Any], engine: Engine) -> OwnNetwork | None:
    """The twin's network, which proofreads the denoiser's text; None if the config names no reader."""
    twin_folder = folder.parent / "twin"
    if not config.get("reader") or not (twin_folder / "config.json").exists():
        return None
    twin_config, files, digest = _read_folder(twin_folder)
    if digest != config["reader"]:
        raise InvalidRequest(f"the twin beside {folder.name} is not the one that its config names as its reader")
    return _network(twin_folder, twin_config, files, engine, causal=True)


class BundledTokenizer(BaseTokenizer):
    """The byte-level BPE tokenizer of both bundled models; decoding gives back every text exactly."""

    def __init__(self, tokenizer: Tokenizer, digest: str) -> None:
        self.backend, self.digest = tokenizer, digest
        self._bytes = {c: b for b, c in byte_letters().items()}

    def encode(self, text: str) -> list[int]:
        return list(self.backend.encode(text, add_special_tokens=False).ids)

    def decode(self, tokens: Sequence[int]) -> str:
        return str(self.backend.decode([t for t in tokens if t >= 0], skip_special_tokens=True))

    def piece(self, token: int) -> str:
        """The text of one token; an incomplete UTF-8 sequence shows as a replacement character."""
        letters = self.backend.id_to_token(token)
        if letters is None:
            return "\ufffd"
        if letters == SKIP:
            return ""
        if any(c not in self._bytes for c in letters):
            return str(letters)
        return self.token_bytes(token).decode("utf-8", errors="replace")

    def token_bytes(self, token: int) -> bytes:
        return bytes(self._bytes[c] for c in self.backend.id_to_token(token) or "")


def byte_letters() -> dict[int, str]:
    """The characters that byte-level tokenizers use for bytes: printable ones as themselves, others from 256 on."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {b: chr(b) for b in printable}
    return letters | {b: chr(256 + i) for i, b in enumerate(b for b in range(256) if b not in letters)}


@lru_cache(maxsize=8)
def _tokenizer(path: Path) -> BundledTokenizer:
    from tokenizers import Tokenizer

    try:
        raw = path.read_bytes()
        return BundledTokenizer(Tokenizer.from_file(str(path)), hashlib.sha256(raw).hexdigest()[:16])
    except Exception as error:  # the library raises its own plain Exception
        raise InvalidRequest(f"the tokenizer {path.name} is missing or damaged: {error}") from error


def _tokenizer_file(folder: Path) -> Path:
    own = folder / "tokenizer.json"
    return own if own.exists() else folder.parent / "tokenizer.json"


def _read_folder(folder: Path) -> tuple[dict[str, Any], TensorFiles, str]:
    """Config, weights and their hash; raises InvalidRequest if something is missing, damaged or altered."""
    try:
        config = json.loads((folder / "config.json").read_text())
        shards = sorted(folder.glob("model-*.safetensors"))
        if not shards:
            raise InvalidRequest(f"there are no weights in {folder.name}")
        digest = hashlib.sha256()
        for shard in shards:
            digest.update(shard.read_bytes())
        files = TensorFiles(shards)
    except InvalidRequest:
        raise
    except Exception as error:  # a damaged file raises errors of many types
        raise InvalidRequest(f"the model in {folder.name} cannot be read: {error}") from error
    needed = ("vocabulary", "width", "layers", "heads", "length", "causal", "mask_id", "separator_id", "sha256")
    if lacks := [k for k in needed if not isinstance(config, dict) or k not in config]:
        raise InvalidRequest(f"the config in {folder.name} is not a model's: it lacks {', '.join(lacks)}")
    if config["sha256"] != digest.hexdigest():
        raise InvalidRequest(f"the weights in {folder.name} are not the ones its config names: their hash differs")
    return config, files, digest.hexdigest()


def _network(folder: Path, config: dict[str, Any], files: TensorFiles, engine: Engine, causal: bool) -> OwnNetwork:
    """The network of these weights, which are in `folder`."""
    names = ("vocabulary", "width", "layers", "heads", "length")
    shape = TransformerConfig(**{name: config[name] for name in names}, causal=causal)
    found = {name: one for name, one in files.shapes.items() if name != "background"}
    wanted = shape.weight_shapes()
    if found != wanted:
        differ = sorted(name for name in {*found, *wanted} if found.get(name) != wanted.get(name))
        raise InvalidRequest(f"the weights in {folder.name} do not fit its config: {', '.join(differ[:3])}")
    if engine.name == "torch":
        return TransformerNetwork(shape, {name: files.whole(name) for name in wanted}, engine.number, engine.device)
    weights = shape.weights(files.read)
    return GraphNetwork(shape.architecture(), weights, engine.threads, config["sha256"], engine.number)


FAMILY = Family(builtin_names=tuple(BUILTIN_NAMES), prepare=prepare)
