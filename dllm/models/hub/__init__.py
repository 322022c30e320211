"""Any checkpoint of a known family, from a folder or the hub: what `load` opens by id, path or `family:what`."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from unmask.canvas import Card
from unmask.config import config as settings
from unmask.errors import InvalidRequest
from unmask.models.family import Family, get_family, match_family
from unmask.models.hub.adapter import AdapterParts, Masked
from unmask.models.hub.approximate import Approximate
from unmask.models.hub.blocks import BlockCausal
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, with_attention_mask
from unmask.models.hub.network import Network
from unmask.models.interface import Denoiser, Finish

OPTIONS = (
    "number",
    "device",
    "mask_id",
    "block",
    "cache",
    "graphs",
    "mode",
)  # may stand behind an id: `ORG/NAME?number=int8`
CACHES = ("exact", "none", "prefix", "dual")
_MASKS = ("mask_token", "<|mask|>", "<|mdm_mask|>", "<mask>", "[MASK]", "|<MASK>|", "<|MASK|>")


class MaskNotFound(InvalidRequest):
    """Nobody says which token an open cell shows."""


def prepare(
    kind: str,
    what: str,
    watch: Callable[[Any], None] | None = None,
    room: Callable[[int], None] | None = None,
    **options: Any,
) -> Finish:
    """A denoiser, or a twin, from `what`: a folder or an id, with wishes behind a question mark."""
    what, _, tail = what.partition("?")
    options = _parse_options({**dict(parse_qsl(tail)), **options})
    from unmask.models.hub import hardware, native, source, tokenizer

    device = hardware.pick_device(str(options.get("device", "")))
    cache, mode = str(options.get("cache", "exact")), str(options.get("mode", ""))
    number, needs = "", dict[str, int]()

    def check(found: source.Source) -> None:
        nonlocal number
        recipe = _recipe(kind, found, options)  # what nobody here can open is not downloaded either
        stored = max(found.numbers, key=lambda k: found.numbers[k], default="F32")
        number = hardware.pick_dtype(str(options.get("number", "")), device, found.parameters, stored)
        family_name = _family_of(kind, found.config, what)
        adapter = _adapter(get_family(family_name), recipe, mode, cache, family_name)
        if options.get("graphs") == "yes":
            _same_each_time(found.name, get_family(family_name), adapter, recipe, cache, device, number)
        if found.keys and (unknown := native.unknown_weights(found.keys, recipe)):
            raise InvalidRequest(
                f"the weights of '{found.name}' do not fit {recipe.native}: unknown {native.summarize_names(unknown)}"
            )
        whole = hardware.unquantized_parameters(recipe.config)
        if number in ("int8", "int4") and (
            get_family(_family_of(kind, found.config, what)).network or not recipe.native
        ):
            raise InvalidRequest(f"'{found.name}' has a network of its own here, which is not packed: open it in bf16")
        for name in hardware.SIZES:
            beside = hardware.overhead_bytes(recipe.config, name, options.get("cache") != "none")
            needs[name] = hardware.required_bytes(found.parameters, name, whole, beside)
        if room is not None:
            room(needs[number])  # models that nobody uses are closed
        hardware.check_memory(needs, number, device)

    found = source.locate(what, check, watch)
    name = _family_of(kind, found.config, what)
    made, recipe = get_family(name), _recipe(kind, found, options)
    adapter = _adapter(made, recipe, mode, cache, name)
    # converted in this machine's own memory where it has that much; only the move to the device takes a turn
    aside = device == "auto" or hardware.free_bytes("cpu") < needs[number]
    lies = device if aside else "cpu"
    network: Network = (made.network or native.load_network)(found.folder, recipe, number, lies)
    spoken = tokenizer.load_tokenizer(found.folder, network.words, recipe.template)

    def finish() -> Denoiser:
        network.move(device)
        fitting = _adapter_parts(
            found, recipe, network, spoken, name, number, options, adapter, (made.adapter or Masked).masks
        )
        return _self_tested(adapter(fitting), f"{recipe.block}/{fitting.mask}/{cache}/{mode}")

    if device != "cpu":
        return finish
    ready = finish()  # nothing moves, and a test beside the runs takes no turn of theirs
    return lambda: ready


def _adapter_parts(
    found: Any,
    recipe: CheckpointSpec,
    network: Network,
    spoken: Any,
    name: str,
    number: str,
    options: dict[str, Any],
    adapter: type[Masked],
    masks: bool,
) -> AdapterParts:
    """The parts, and the card that says what they are."""
    from unmask.models.hub import hardware, source

    words, cache = network.words, str(options.get("cache", "exact"))
    # read from left to right, a model that has a mask must still never say it
    mask = _mask(recipe, found, spoken, words, options) if masks else None
    card = Card(
        name=found.name,
        family=name,
        words=words,
        longest=recipe.longest,
        causal=adapter.causal,
        noise=adapter.noise,
        ends=_ends(found, recipe, words),
        never=tuple(t for t in {mask, *recipe.never} if t is not None and t < words),
        expand=recipe.expand if recipe.expand is not None and recipe.expand < words and not adapter.causal else None,
        skips=tuple(t for t in recipe.skips if t < words),
        weights=source.weights_hash(found),
        tokenizer=spoken.digest,
        number=number,
        device=str(network.device),
        threads=hardware.threads(),
        licence=found.licence or get_family(name).licence,
        note=f"Approximate {cache} cache. {recipe.note}".strip() if adapter is Approximate else recipe.note,
        preset=recipe.preset,
        blockwise=adapter.blockwise,
        whole=recipe.block if recipe.padded and not adapter.causal else 0,
        both=adapter.both,
        chat=spoken.chat,
        tools="template" if spoken.tools else "plain",
        twin=recipe.twin.replace("{what}", found.what),
        fair=recipe.fair,
        revision=found.revision,
        size=network.size,
    )
    return AdapterParts(
        network=network,
        recipe=recipe,
        card=card,
        tokenizer=spoken,
        mask=-1 if mask is None else mask,
        cached=cache != "none",
        approximate=cache if cache in ("prefix", "dual") else "",
        graphs=options.get("graphs") == "yes",
        frame=(_mark(found, spoken, "cls"), _mark(found, spoken, "sep")),
    )


def _self_tested(denoiser: Masked, variant: str) -> Denoiser:
    """What the self-test found goes onto the card; whether thoughts may share a forward, into the adapter."""
    import torch

    from unmask.models.hub import selftest

    if settings().zero_gpu:
        denoiser.card = replace(denoiser.card, tested="Not tested when it was opened: its device is lent by the call.")
        return denoiser
    torch.set_num_threads(denoiser.card.threads)  # of this thread's products alone, as it will think
    denoiser.shares = selftest.batches_exactly(denoiser)
    denoiser.card = replace(denoiser.card, tested=selftest.report(denoiser, variant))
    return denoiser


def _parse_options(options: dict[str, Any]) -> dict[str, Any]:
    if unknown := [w for w in options if w not in OPTIONS]:
        raise InvalidRequest(f"no wish '{unknown[0]}' for a model; there are {', '.join(OPTIONS)}")
    for name in options.keys() & {"mask_id", "block"}:
        if not str(options[name]).isdigit():
            raise InvalidRequest(f"{name} must be a whole number, not '{options[name]}'")
    if options.get("cache", "exact") not in CACHES:
        raise InvalidRequest(f"cache must be one of {', '.join(CACHES)}, not '{options['cache']}'")
    if options.get("graphs", "no") not in ("yes", "no"):
        raise InvalidRequest(f"graphs must be yes or no, not '{options['graphs']}'")
    return {k: v for k, v in options.items() if v not in (None, "")}


def _family_of(kind: str, config: Config, what: str) -> str:
    """The family, read off the config unless a person named it; an autoregressive model is offered as a twin."""
    if kind:
        return kind
    found = match_family(config)
    if found == "causal":
        raise InvalidRequest(
            f"'{what}' writes from left to right only, so it cannot denoise; as a twin it is 'causal:{what}'"
        )
    return found


def _recipe(kind: str, found: Any, options: dict[str, Any]) -> CheckpointSpec:
    """What its family makes of a config, with a block's size as it was wished."""
    made = get_family(_family_of(kind, found.config, found.what))
    assert made.checkpoint_spec is not None  # a checkpoint's family has one
    recipe = _read(made.checkpoint_spec, found.config, found.name)
    if "block" not in options:
        return recipe if options.get("mode") else with_attention_mask(recipe)
    return with_attention_mask(replace(recipe, block=int(options["block"])), anyway=True)


def _read(recipe: Callable[[Config, str], CheckpointSpec], config: Config, name: str) -> CheckpointSpec:
    try:
        return recipe(config, name)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise InvalidRequest(f"the config of '{name}' lacks or garbles a field: {error}") from error


def _adapter(made: Family, recipe: CheckpointSpec, mode: str, cache: str, name: str) -> type[Masked]:
    if mode == "ar":
        if made.causal is None:
            raise InvalidRequest(f"'{name}' has no autoregressive mode")
        return made.causal
    if mode:
        raise InvalidRequest(f"no mode '{mode}'; there is ar, where a model has both")
    adapter = made.adapter or (BlockCausal if recipe.block else Masked)
    if cache not in ("prefix", "dual"):
        return adapter
    if adapter is not Masked:
        raise InvalidRequest(f"'{name}' has an exact cache or none at all: there is nothing to approximate")
    return Approximate


def _same_each_time(
    what: str, made: Family, adapter: type[Masked], recipe: CheckpointSpec, cache: str, device: str, number: str
) -> None:
    """Refuse to record a forward where no block is read by itself, or where it is another in each pass."""
    from unmask.models.hub.cuda_graphs import can_capture

    if made.network or not (adapter is Approximate or (issubclass(adapter, BlockCausal) and cache == "exact")):
        raise InvalidRequest(
            f"graphs=yes records the forward of a block, and '{what}' reads none by itself: leave it out, or name "
            "cache=dual or cache=prefix where a model sees everything"
        )
    if device == "auto":
        raise InvalidRequest("graphs=yes records the kernels of one card: name it, such as device=cuda:0")
    experts = any(recipe.config.get(field) for field in ("num_experts", "n_routed_experts", "num_local_experts"))
    if not can_capture(experts, device, number):
        raise InvalidRequest(
            f"'{what}' is a mixture of experts, whose forward in {number} cannot be recorded on this card: "
            "open it without graphs=yes"
        )


def _mask(recipe: CheckpointSpec, found: Any, spoken: Any, words: int, options: dict[str, Any]) -> int:
    """What an open cell shows: as a person says, else the config, the tokenizer, the family."""
    from unmask.models.hub.tokenizer import special_token

    config = found.config
    tokens = (
        options.get("mask_id"),
        config.get("mask_token_id"),
        config.get("mask_id"),
        special_token(spoken, *_MASKS),
    )
    for token in (*tokens, recipe.mask):
        if token is not None and 0 <= int(token) < words:
            return int(token)
    if "mask_id" in options:
        raise InvalidRequest(f"the mask {options['mask_id']} is not a token: they go from 0 to {words - 1}")
    raise MaskNotFound(f"'{found.name}' has no mask token, so nothing can be open: name one with --mask-id N")


def _ends(found: Any, recipe: CheckpointSpec, words: int) -> tuple[int, ...]:
    tokens: list[Any] = [found.config.get("eos_token_id"), found.config.get("text_config", {}).get("eos_token_id")]
    with suppress(OSError, ValueError, AttributeError):  # most have none
        tokens.append(json.loads(Path(found.folder / "generation_config.json").read_text()).get("eos_token_id"))
    flat = [t for group in (*tokens, list(recipe.ends)) for t in (group if isinstance(group, list) else [group])]
    return tuple(dict.fromkeys(int(t) for t in flat if isinstance(t, int) and 0 <= t < words))


def _mark(found: Any, spoken: Any, which: str) -> int | None:
    from unmask.models.hub.tokenizer import special_token

    token = special_token(spoken, f"{which}_token")
    return token if token is not None else found.config.get(f"{which}_token_id")
