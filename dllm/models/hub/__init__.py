"""Loading a checkpoint of a known family from a folder or the Hub."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np

from unmask.canvas import Card, Ints
from unmask.config import config as settings
from unmask.errors import NO_MASK, InvalidRequest
from unmask.extras import require
from unmask.models.architecture import summarize_names
from unmask.models.describe import unknown_keys
from unmask.models.family import Family, get_family, match_family
from unmask.models.hub.adapter import AdapterParts, Masked, OneByOne
from unmask.models.hub.approximate import Approximate
from unmask.models.hub.blocks import BlockCausal
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, with_attention_mask, with_implied_fields
from unmask.models.hub.converted import OpeningStep
from unmask.models.hub.network import Network
from unmask.models.interface import Denoiser, Finish

# loading options, also accepted after an id: `ORG/NAME?number=int8`
OPTIONS = ("number", "device", "engine", "mask_id", "block", "cache", "graphs", "mode")
CACHES = ("exact", "none", "prefix", "dual")
_MASKS = ("mask_token", "<|mask|>", "<|mdm_mask|>", "<mask>", "[MASK]", "|<MASK>|", "<|MASK|>")


class MaskNotFound(InvalidRequest):
    """No mask token is known for a checkpoint."""


@dataclass
class _Check:
    """Refuses a checkpoint before its download if it cannot be loaded here; keeps its dtype and the memory it needs."""

    kind: str
    what: str
    options: dict[str, Any]
    device: str
    room: Callable[[int], None] | None  # may unload idle models
    number: str = ""
    needs: dict[str, int] = field(default_factory=dict)

    def __call__(self, found: Any) -> None:
        from unmask.models.hub import hardware

        options, device = self.options, self.device
        cache, mode = str(options.get("cache", "exact")), str(options.get("mode", ""))
        spec = _checkpoint_spec(self.kind, found, options)
        self.needs, self.number = memory_needs(self.kind, found, options, device)
        name = _family_of(self.kind, found.config, self.what)
        made = get_family(name)
        adapter = _adapter(made, spec, mode, cache, name)
        engine = _engine(found.name, spec, options, device, str(options.get("number", "")))
        unknown = _unknown_weights(found, spec, engine)
        if options.get("graphs") == "yes":
            _check_graphs(found.name, made, adapter, spec, cache, device, self.number)
        if unknown:
            raise InvalidRequest(
                f"the weights of '{found.name}' do not fit {spec.native}: unknown {summarize_names(unknown)}"
            )
        if self.number in ("int8", "int4") and (made.network or not spec.native):
            raise InvalidRequest(
                f"'{found.name}' has its own network here, which cannot be quantized: load it with number=bf16"
            )
        if self.room is not None:
            self.room(self.needs[self.number])
        hardware.check_memory(self.needs, self.number, device)


def prepare(
    kind: str,
    what: str,
    watch: Callable[[Any], None] | None = None,
    room: Callable[[int], None] | None = None,
    **options: Any,
) -> Finish:
    """Prepares a denoiser or a twin from `what`: a folder or a Hub id, with options after a question mark."""
    require("hub", "a model of your own")
    what, options = with_options(what, options)
    from unmask.models.hub import engine, hardware, native, source, tokenizer

    device = hardware.pick_device(str(options.get("device", "")))
    cache, mode = str(options.get("cache", "exact")), str(options.get("mode", ""))
    requested = str(options.get("number", ""))
    check = _Check(kind, what, options, device, room)
    found = source.locate(what, check, watch)
    number, needs = check.number, check.needs
    name = _family_of(kind, found.config, what)
    made, spec = get_family(name), _checkpoint_spec(kind, found, options)
    adapter = _adapter(made, spec, mode, cache, name)
    # converted in host memory if it is large enough, so that only the move occupies the device
    on_device = device == "auto" or hardware.free_bytes("cpu") < needs[number]
    target = device if on_device else "cpu"
    network: Network
    digest, tell = source.weights_hash(found), watch or (lambda _: None)
    if _engine(found.name, spec, options, device, requested) == "onnx":
        words = int(spec.config["vocab_size"])
        hub_tokenizer = tokenizer.load_tokenizer(found.folder, words, spec.template)
        threads, canvas, fixed = hardware.threads(), _test_canvas(hub_tokenizer, words), bool(requested)
        network = engine.load_graph(found.folder, spec, number, threads, digest, canvas, tell, fixed)
        number = network.number
    else:
        network = (made.network or native.load_network)(found.folder, spec, number, target)
        hub_tokenizer = tokenizer.load_tokenizer(found.folder, network.words, spec.template)

    def finish() -> Denoiser:
        network.move(device)
        tell(OpeningStep("testing", 0, 1))
        parts = _adapter_parts(
            found, spec, network, hub_tokenizer, name, number, options, adapter, (made.adapter or Masked).masks, digest
        )
        return _self_tested(adapter(parts), f"{spec.block}/{parts.mask}/{cache}/{mode}")

    if device != "cpu":
        return finish
    ready = finish()  # nothing to move, and the self-test need not wait for the device
    return lambda: ready


def with_options(what: str, more: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
    """A folder or id without what follows its question mark, and the loading options there."""
    what, _, tail = what.partition("?")
    return what, _parse_options({**dict(parse_qsl(tail)), **(more or {})})


def memory_needs(kind: str, found: Any, options: dict[str, Any], device: str) -> tuple[dict[str, int], str]:
    """The bytes of memory that a checkpoint needs by dtype, and the dtype in which it would be loaded."""
    from unmask.models.hub import engine, hardware

    spec, requested = _checkpoint_spec(kind, found, options), str(options.get("number", ""))
    stored = max(found.numbers, key=lambda k: found.numbers[k], default="F32")
    graph = _engine(found.name, spec, options, device, requested) == "onnx"
    number = hardware.pick_dtype(requested, device, found.parameters, stored, graph)
    if graph:
        number = engine.graph_number(requested, spec, found.parameters)
    unquantized = hardware.unquantized_parameters(spec.config)
    name = _family_of(kind, found.config, found.what)
    cache = str(options.get("cache", "exact"))
    adapter = _adapter(get_family(name), spec, str(options.get("mode", "")), cache, name)
    caches = cache != "none" and issubclass(adapter, OneByOne | BlockCausal | Approximate)
    needs = {}
    for name in hardware.SIZES:
        if graph and name in engine.GRAPH_NUMBERS:  # what passes between the layers is fp32
            overhead = hardware.overhead_bytes(spec.config, "fp32", caches)
            needs[name] = hardware.graph_bytes(found.parameters, name, spec.config) + overhead
        else:
            overhead = hardware.overhead_bytes(spec.config, name, caches)
            needs[name] = hardware.required_bytes(found.parameters, name, unquantized, overhead)
    return needs, number


def _engine(what: str, spec: CheckpointSpec, options: dict[str, Any], device: str, number: str) -> str:
    """The engine of a checkpoint; refused where its packages are not installed."""
    from unmask.models.hub.engine import pick_engine

    found = pick_engine(str(options.get("engine", "")), spec, device, number, options.get("graphs") == "yes")
    if found == "transformers":
        require("torch", f"'{what}' runs on PyTorch and")
    return found


def _unknown_weights(found: Any, spec: CheckpointSpec, engine: str) -> list[str]:
    """The weights that the network does not have, before a download; a folder's are checked when it is opened."""
    if found.folder != Path():
        return []
    if engine == "onnx":
        return unknown_keys(spec, found.keys)
    from unmask.models.hub.native import unknown_weights

    return unknown_weights(found.keys, spec)


def network_note(network: Network) -> str:
    """What is to be known of a network's numbers."""
    far = getattr(network, "divergence", None)
    return "" if far is None else f"Its eight bits differ from fp32 by {far:.3f} nats a word, on an English text."


def _test_canvas(hub_tokenizer: Any, words: int) -> Ints:
    """A text that two number types answer, to compare them."""
    from unmask.models.hub import engine

    try:
        tokens = hub_tokenizer.encode(engine.TEXT)
    except InvalidRequest:  # its vocabulary cannot spell it
        tokens = []
    return np.array(tokens[: engine.CELLS] or np.arange(engine.CELLS) % words, np.int64)


def _adapter_parts(
    found: Any,
    spec: CheckpointSpec,
    network: Network,
    hub_tokenizer: Any,
    name: str,
    number: str,
    options: dict[str, Any],
    adapter: type[Masked],
    masks: bool,
    digest: str,
) -> AdapterParts:
    """The adapter's parts, with the model's card."""
    words, cache = network.words, str(options.get("cache", "exact"))
    # an autoregressive model with a mask token must not propose it either
    mask = _mask_token(spec, found, hub_tokenizer, words, options) if masks else None
    notes = [f"Approximate {cache} cache." if adapter is Approximate else "", spec.note, network_note(network)]
    card = replace(
        _card(found, spec, words, hub_tokenizer, adapter, mask),
        family=name,
        weights=digest,
        number=number,
        device=str(network.device or "cpu"),
        licence=found.licence or get_family(name).licence,
        note=" ".join(filter(None, notes)),
        size=network.size,
    )
    return AdapterParts(
        network=network,
        spec=spec,
        card=card,
        tokenizer=hub_tokenizer,
        mask=-1 if mask is None else mask,
        cached=cache != "none",
        approximate=cache if cache in ("prefix", "dual") else "",
        graphs=options.get("graphs") == "yes",
        cls_sep=(_special_token(found, hub_tokenizer, "cls"), _special_token(found, hub_tokenizer, "sep")),
    )


def _card(
    found: Any, spec: CheckpointSpec, words: int, hub_tokenizer: Any, adapter: type[Masked], mask: int | None
) -> Card:
    """What a checkpoint says of its model, whatever computes it."""
    from unmask.models.hub import hardware

    # an encoder without a chat template fills in a text: it never ends one
    ends = () if adapter.framed and not hub_tokenizer.chat else _eos_tokens(found, spec, words)
    never = (mask, *spec.never, *(t for t in hub_tokenizer.specials(adapter.framed) if t not in ends))
    return Card(
        name=found.name,
        family="",
        words=words,
        longest=spec.longest,
        causal=adapter.causal,
        noise=adapter.noise,
        ends=ends,
        never=tuple(dict.fromkeys(t for t in never if t is not None and t < words)),
        expand=spec.expand if spec.expand is not None and spec.expand < words and not adapter.causal else None,
        skips=tuple(t for t in spec.skips if t < words),
        tokenizer=hub_tokenizer.digest,
        threads=hardware.threads(),
        preset=spec.preset,
        blockwise=adapter.blockwise,
        whole=spec.block if spec.padded and not adapter.causal else 0,
        both=adapter.both,
        chat=hub_tokenizer.chat,
        spaced=hub_tokenizer.spaced,
        tools="template" if hub_tokenizer.tools else "plain",
        twin=spec.twin.replace("{what}", found.what),
        fair=spec.fair,
        revision=found.revision,
        parameters=found.parameters,
    )


def _self_tested(denoiser: Masked, variant: str) -> Denoiser:
    """Runs the self-test: its report goes onto the card, and whether inputs may share a forward into the adapter."""
    from unmask.models.hub import selftest

    if settings().zero_gpu:
        denoiser.card = replace(
            denoiser.card, tested="Not tested when it was loaded: the GPU is available only during calls."
        )
        return denoiser
    denoiser.shares = selftest.batches_exactly(denoiser)
    denoiser.card = replace(denoiser.card, tested=selftest.report(denoiser, variant))
    return denoiser


def _parse_options(options: dict[str, Any]) -> dict[str, Any]:
    if unknown := [w for w in options if w not in OPTIONS]:
        raise InvalidRequest(f"no loading option '{unknown[0]}'; there are {', '.join(OPTIONS)}")
    for name in options.keys() & {"mask_id", "block"}:
        if not str(options[name]).isdigit():
            raise InvalidRequest(f"{name} must be a whole number, not '{options[name]}'")
    if options.get("cache", "exact") not in CACHES:
        raise InvalidRequest(f"cache must be one of {', '.join(CACHES)}, not '{options['cache']}'")
    if options.get("graphs", "no") not in ("yes", "no"):
        raise InvalidRequest(f"graphs must be yes or no, not '{options['graphs']}'")
    return {k: v for k, v in options.items() if v not in (None, "")}


def _family_of(kind: str, config: Config, what: str) -> str:
    """The family: as named by the user, else by the config; refuses an autoregressive model unless loaded as a twin."""
    if kind:
        return kind
    found = match_family(config)
    if found == "causal":
        raise InvalidRequest(
            f"'{what}' writes from left to right only, so it cannot denoise; as a twin it is 'causal:{what}'"
        )
    return found


def _checkpoint_spec(kind: str, found: Any, options: dict[str, Any]) -> CheckpointSpec:
    """The checkpoint's spec, with the requested block size."""
    made = get_family(_family_of(kind, found.config, found.what))
    assert made.checkpoint_spec is not None  # `get_family` checked this
    spec = with_implied_fields(_read_config(made.checkpoint_spec, found.config, found.name), found.keys)
    if "block" not in options:
        return spec if options.get("mode") else with_attention_mask(spec)
    return with_attention_mask(replace(spec, block=int(options["block"])), always=True)


def _read_config(spec: Callable[[Config, str], CheckpointSpec], config: Config, name: str) -> CheckpointSpec:
    try:
        return spec(config, name)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise InvalidRequest(f"the config of '{name}' lacks or garbles a field: {error}") from error


def _adapter(made: Family, spec: CheckpointSpec, mode: str, cache: str, name: str) -> type[Masked]:
    if mode == "ar":
        if made.causal is None:
            raise InvalidRequest(f"'{name}' has no autoregressive mode")
        return made.causal
    if mode:
        raise InvalidRequest(f"no mode '{mode}'; there is ar, where a model has both")
    adapter = made.adapter or (BlockCausal if spec.block else Masked)
    if cache not in ("prefix", "dual"):
        return adapter
    if adapter is not Masked:
        raise InvalidRequest(f"'{name}' has an exact cache or none at all: there is nothing to approximate")
    return Approximate


def _check_graphs(
    what: str, made: Family, adapter: type[Masked], spec: CheckpointSpec, cache: str, device: str, number: str
) -> None:
    """Refuses graphs=yes where blocks are not read alone, or where the forward's kernels change from pass to pass."""
    from unmask.models.hub.cuda_graphs import can_capture

    if made.network or not (adapter is Approximate or (issubclass(adapter, BlockCausal) and cache == "exact")):
        raise InvalidRequest(
            f"graphs=yes records the forward of a block, and '{what}' reads none by itself: leave it out, or name "
            "cache=dual or cache=prefix where a model sees everything"
        )
    if device == "auto":
        raise InvalidRequest("graphs=yes records the kernels of one card: name it, such as device=cuda:0")
    experts = any(spec.config.get(field) for field in ("num_experts", "n_routed_experts", "num_local_experts"))
    if not can_capture(experts, device, number):
        raise InvalidRequest(
            f"'{what}' is a mixture of experts, whose forward in {number} cannot be recorded on this card: "
            "open it without graphs=yes"
        )


def _mask_token(spec: CheckpointSpec, found: Any, hub_tokenizer: Any, words: int, options: dict[str, Any]) -> int:
    """The mask token: from the options, else the config, the tokenizer or the family."""
    from unmask.models.hub.tokenizer import special_token

    config = found.config
    tokens = (
        options.get("mask_id"),
        config.get("mask_token_id"),
        config.get("mask_id"),
        special_token(hub_tokenizer, *_MASKS),
    )
    for token in (*tokens, spec.mask):
        if token is not None and 0 <= int(token) < words:
            return int(token)
    if "mask_id" in options:
        raise InvalidRequest(f"the mask {options['mask_id']} is not a token: they go from 0 to {words - 1}")
    raise MaskNotFound(
        f"'{found.name}' has no mask token, so nothing can be open: name one with --mask-id N, or as ?mask_id=N",
        "model",
        NO_MASK,
    )


def _eos_tokens(found: Any, spec: CheckpointSpec, words: int) -> tuple[int, ...]:
    tokens: list[Any] = [found.config.get("eos_token_id"), found.config.get("text_config", {}).get("eos_token_id")]
    with suppress(OSError, ValueError, AttributeError):  # most folders have no such file
        tokens.append(json.loads(Path(found.folder / "generation_config.json").read_text()).get("eos_token_id"))
    flat = [t for group in (*tokens, list(spec.ends)) for t in (group if isinstance(group, list) else [group])]
    return tuple(dict.fromkeys(int(t) for t in flat if isinstance(t, int) and 0 <= t < words))


def _special_token(found: Any, hub_tokenizer: Any, which: str) -> int | None:
    from unmask.models.hub.tokenizer import special_token

    token = special_token(hub_tokenizer, f"{which}_token")
    return token if token is not None else found.config.get(f"{which}_token_id")
