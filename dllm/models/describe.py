"""The `Architecture` of a checkpoint: from its spec, and the names and shapes of the weights in its files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from unmask.errors import InvalidRequest, Unsupported
from unmask.models.architecture import Architecture, Part, Shape, describe_misfit, whole_shapes
from unmask.models.decoder_config import DECODERS, read_decoder
from unmask.models.encoder_config import ENCODERS, read_encoder

if TYPE_CHECKING:
    from unmask.models.hub.checkpoint_spec import CheckpointSpec

MOST_LAYERS = 1000  # of a config that is believed
_BUFFERS = r"rotary_emb\w*\.inv_freq$"  # older files hold them; they follow from the config
# names that transformers changes as well, or of which it knows that they are the same weight
_OLD_NAMES = {r"\.gamma$": ".weight", r"\.beta$": ".bias", r"\.(predictions|lm_head)\.decoder\.bias$": r".\1.bias"}
_OLD_NAMES |= {r"^lm_head\.decoder\.bias$": "lm_head.bias"}


def read_architecture(spec: CheckpointSpec) -> Architecture:
    """The network of a config, its parts under the names of transformers' class; raises `Unsupported` if it cannot be
    expressed."""
    read = {**dict.fromkeys(DECODERS, read_decoder), **dict.fromkeys(ENCODERS, read_encoder)}.get(spec.native)
    if read is None:
        raise Unsupported(f"{spec.native or 'this network'} runs on transformers alone")
    try:
        if int(spec.config["num_hidden_layers"]) > MOST_LAYERS:
            raise ValueError(f"{spec.config['num_hidden_layers']} layers")
        return read(spec.native, spec.config)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        if isinstance(error, InvalidRequest):
            raise
        raise InvalidRequest(f"the config lacks or garbles a field of {spec.native}: {error}") from error


def describe(spec: CheckpointSpec, shapes: Mapping[str, Shape], folder: str) -> Architecture:
    """The network of a checkpoint whose files hold weights of these shapes, by key; raises InvalidRequest if they are
    not those of its config."""
    made = read_architecture(spec)
    wanted, spare = dict(made.parts), (*spec.spare, _BUFFERS)
    found = native_parts(spec, shapes, whole_shapes(wanted.values()))
    if spec.config.get("tie_word_embeddings", spec.native in ENCODERS):  # a file may hold the head once more
        found.pop(wanted["head"].key, None)
        wanted["head"] = wanted["embedding"]
    whole = whole_shapes(wanted.values())
    extra = {part.key for name, part in found.items() if name not in whole}
    faults = describe_misfit(
        sorted(whole.keys() - found.keys()),
        sorted(key for key in extra if not any(re.search(pattern, key) for pattern in spare)),
        sorted(name for name, shape in whole.items() if name in found and found[name].shape != shape),
    )
    if faults:
        raise InvalidRequest(f"the weights in {folder} do not fit {spec.native}: {faults}")
    stored = {role: (found[part.key], part) for role, part in wanted.items()}
    return replace(
        made, parts={role: Part(one.key, part.shape, one.begin + part.begin) for role, (one, part) in stored.items()}
    )


def unknown_keys(spec: CheckpointSpec, keys: Iterable[str]) -> list[str]:
    """The weights among these keys that the network does not have, if they are more than half: a check before the
    download."""
    wanted = whole_shapes(read_architecture(spec).parts.values())
    found = native_parts(spec, dict.fromkeys(keys, (0,)), {})
    listed = {part.key: name for name, part in found.items() if not any(re.search(p, part.key) for p in spec.spare)}
    unknown = [key for key, name in listed.items() if name not in wanted and f"model.{name}" not in wanted]
    return unknown if 2 * len(unknown) > len(listed) else []


def native_parts(spec: CheckpointSpec, shapes: Mapping[str, Shape], sizes: Mapping[str, Shape]) -> dict[str, Part]:
    """The weights of the files under the names that transformers' class gives them; `sizes` are those of the class."""
    found = dict[str, Part]()
    for key, shape in shapes.items():
        name = key
        for theirs, ours in {**spec.keys, **_OLD_NAMES}.items():
            name = re.sub(theirs, ours, name)
        if name not in sizes and f"model.{name}" in sizes:  # saved without its head
            name = f"model.{name}"
        begin, fused = 0, next((several for several in spec.splits if several in name), "")
        for part in (name.replace(fused, one) for one in spec.splits.get(fused, ())):
            rows = sizes.get(part, shape)[0]
            found[part] = Part(key, (max(0, min(rows, shape[0] - begin)), *shape[1:]), begin)
            begin += rows
        if not begin or begin < shape[0]:  # not fused, or rows that belong to no part
            found[name] = Part(key, (shape[0] - begin, *shape[1:]) if begin else shape, begin)
    return found
