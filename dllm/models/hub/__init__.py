"""Any checkpoint of a known family, from a folder or the hub: what `load` opens by id, path or `family:what`."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from dllm.canvas import Card, Refused
from dllm.models import Denoiser, family
from dllm.models.hub.adapter import BlockCausal, Fitting, Masked
from dllm.models.hub.approximate import Approximate
from dllm.models.hub.recipe import Config, Recipe, recognised

WISHES = ("number", "device", "mask_id", "block", "cache", "mode")  # may stand behind an id: `ORG/NAME?number=int8`
CACHES = ("exact", "none", "prefix", "dual")
_MASKS = ("mask_token", "<|mask|>", "<|mdm_mask|>", "<mask>", "[MASK]", "|<MASK>|", "<|MASK|>")


class NoMask(Refused):
    """Nobody says which token an open cell shows."""


def open(kind: str, what: str, watch: Callable[[Any], None] | None = None, **wishes: Any) -> Denoiser:
    """A denoiser, or a twin, from `what`: a folder or an id, with wishes behind a question mark."""
    what, _, tail = what.partition("?")
    wishes = _wishes({**dict(parse_qsl(tail)), **wishes})
    from dllm.models.hub import machine, native, selftest, source, speller

    device = machine.device(str(wishes.get("device", "")))
    number = ""

    def check(found: source.Source) -> None:
        nonlocal number
        _known(kind, found.config, what)  # what nobody here can open is not downloaded either
        stored = max(found.numbers, key=lambda k: found.numbers[k], default="F32")
        number = machine.number(str(wishes.get("number", "")), device, found.parameters, stored)

    found = source.found(what, check, watch)
    name = _known(kind, found.config, what)
    module = family(name)
    recipe: Recipe = _read(module.recipe, found.config, found.name)
    if "block" in wishes:
        recipe = replace(recipe, block=int(wishes["block"]))
        recipe = replace(recipe, config={**recipe.config, **({} if recipe.block else {"is_causal": False})})
    cache = str(wishes.get("cache", "exact"))
    adapter = _adapter(module, recipe, str(wishes.get("mode", "")), cache, name)
    network = (module.network if hasattr(module, "network") else native.opened)(found.folder, recipe, number, device)
    words = _words(network, recipe)
    spoken = speller.found(found.folder, words)
    # read from left to right, a model that has a mask must still never say it
    masks = getattr(getattr(module, "Adapter", Masked), "masks", True)
    mask = _mask(recipe, found, spoken, words, wishes) if masks else None
    ends = _ends(found, recipe, words)
    card = Card(
        name=found.name,
        family=name,
        words=words,
        longest=recipe.longest,
        causal=getattr(adapter, "causal", False),
        noise=getattr(adapter, "noise", False),
        ends=ends,
        never=tuple(t for t in {mask, *recipe.never} if t is not None and t < words),
        weights=source.hashed(found),
        tokenizer=spoken.digest,
        number=number,
        device=str(network.device),
        licence=found.licence or recipe.licence,
        note=f"Approximate {cache} cache. {recipe.note}".strip() if adapter is Approximate else recipe.note,
        preset=recipe.preset,
        blockwise=getattr(adapter, "blockwise", False),
        both=getattr(adapter, "both", False),
        chat=spoken.chat,
        twin=recipe.twin.replace("{what}", what),
        fair=recipe.fair,
        revision=found.revision,
        size=network.size,
    )
    fitting = Fitting(
        network=network,
        recipe=recipe,
        card=card,
        speller=spoken,
        mask=-1 if mask is None else mask,
        cached=cache != "none",
        approximate=cache if cache in ("prefix", "dual") else "",
        frame=(_mark(found, spoken, "cls"), _mark(found, spoken, "sep")),
    )
    denoiser: Denoiser = adapter(fitting)
    variant = f"{recipe.block}/{fitting.mask}/{cache}/{wishes.get('mode', '')}"  # what changes its answers
    denoiser.card = replace(card, tested=selftest.told(denoiser, variant))
    return denoiser


def _wishes(told: dict[str, Any]) -> dict[str, Any]:
    if unknown := [w for w in told if w not in WISHES]:
        raise Refused(f"no wish '{unknown[0]}' for a model; there are {', '.join(WISHES)}")
    for name in told.keys() & {"mask_id", "block"}:
        if not str(told[name]).isdigit():
            raise Refused(f"{name} must be a whole number, not '{told[name]}'")
    if told.get("cache", "exact") not in CACHES:
        raise Refused(f"cache must be one of {', '.join(CACHES)}, not '{told['cache']}'")
    return {k: v for k, v in told.items() if v not in (None, "")}


def _known(kind: str, config: Config, what: str) -> str:
    """The family, read off the config unless a person named it; an autoregressive model is offered as a twin."""
    if kind != "hub":
        return kind
    found = recognised(config)
    if found == "causal":
        raise Refused(f"'{what}' writes from left to right only, so it cannot denoise; as a twin it is 'causal:{what}'")
    return found


def _read(recipe: Callable[[Config, str], Recipe], config: Config, name: str) -> Recipe:
    try:
        return recipe(config, name)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise Refused(f"the config of '{name}' lacks or garbles a field: {error}") from error


def _adapter(module: Any, recipe: Recipe, mode: str, cache: str, name: str) -> Any:
    if mode == "ar":
        if not hasattr(module, "Onward"):
            raise Refused(f"'{name}' has no autoregressive mode")
        return module.Onward
    if mode:
        raise Refused(f"no mode '{mode}'; there is ar, where a model has both")
    adapter = getattr(module, "Adapter", BlockCausal if recipe.block else Masked)
    if cache not in ("prefix", "dual"):
        return adapter
    if adapter is not Masked:
        raise Refused(f"'{name}' has an exact cache or none at all: there is nothing to approximate")
    return Approximate


def _words(network: Any, recipe: Recipe) -> int:
    config = getattr(network.model.config, "text_config", network.model.config)
    return int(config.vocab_size)


def _mask(recipe: Recipe, found: Any, spoken: Any, words: int, wishes: dict[str, Any]) -> int:
    """What an open cell shows: as a person says, else the config, the tokenizer, the family."""
    from dllm.models.hub.speller import marked

    config = found.config
    told = (wishes.get("mask_id"), config.get("mask_token_id"), config.get("mask_id"), marked(spoken, *_MASKS))
    for token in (*told, recipe.mask):
        if token is not None and 0 <= int(token) < words:
            return int(token)
    if "mask_id" in wishes:
        raise Refused(f"the mask {wishes['mask_id']} is not a token: they go from 0 to {words - 1}")
    raise NoMask(f"'{found.name}' has no mask token, so nothing can be open: name one with --mask-id N")


def _ends(found: Any, recipe: Recipe, words: int) -> tuple[int, ...]:
    told: list[Any] = [found.config.get("eos_token_id"), found.config.get("text_config", {}).get("eos_token_id")]
    with suppress(OSError, ValueError, AttributeError):  # most have none
        told.append(json.loads(Path(found.folder / "generation_config.json").read_text()).get("eos_token_id"))
    flat = [t for group in (*told, list(recipe.ends)) for t in (group if isinstance(group, list) else [group])]
    return tuple(dict.fromkeys(int(t) for t in flat if isinstance(t, int) and 0 <= t < words))


def _mark(found: Any, spoken: Any, which: str) -> int | None:
    from dllm.models.hub.speller import marked

    told = marked(spoken, f"{which}_token")
    return told if told is not None else found.config.get(f"{which}_token_id")
