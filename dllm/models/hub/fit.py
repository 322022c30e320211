"""Whether a model fits this machine: memory, disk and time of a pass, from its config and the names of its weights."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from unmask.errors import InvalidRequest
from unmask.models import hub
from unmask.models.describe import read_architecture
from unmask.models.family import NetworkShape, family_names
from unmask.models.hub import hardware, layer_timing, source
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.hub.engine import GRAPH_NUMBERS

TIGHT = 0.8  # of the free memory; more leaves little for other programs
GIGABYTE = 1e9


@dataclass(frozen=True)
class FitReport:
    """What a model needs, and what this machine has."""

    name: str
    number: str  # dtype of the weights
    needs: Mapping[str, int]  # bytes of memory by dtype
    free: int  # bytes of memory that are free
    download: int  # bytes that are not here yet
    disk: int  # bytes of disk that are free
    seconds: float | None  # of a pass over 128 open cells; None where the shape is not in the config
    licence: str = ""
    billions: float = 0.0  # of parameters
    twin: str = ""

    @property
    def verdict(self) -> str:
        """`fits`, `tight` or `does not fit`."""
        if self.needs[self.number] > self.free or self.download > self.disk:
            return "does not fit"
        return "tight" if self.needs[self.number] > TIGHT * self.free else "fits"

    @property
    def smaller(self) -> str:
        """A dtype in which it would fit, if it does not in its own."""
        fitting = (n for n in ("bf16", "int8", "int4") if self.needs[n] < min(self.free, self.needs[self.number]))
        return next(fitting, "") if self.needs[self.number] > self.free else ""

    def __str__(self) -> str:
        memory = f"{_size(self.needs[self.number])} of memory in {self.number}, {_size(self.free)} are free"
        parts = [memory]
        if self.download:
            parts.append(f"{_size(self.download)} to download, {_size(self.disk)} of disk are free")
        if self.seconds is not None:
            parts.append(f"about {_time(self.seconds)} a pass over {layer_timing.CELLS} open cells")
        hint = f" As ?number={self.smaller} it would fit." if self.smaller else ""
        return f"{self.name}: {self.verdict}. {'; '.join(parts)}.{hint}"


class _Described(Exception):
    """Ends the search before anything is downloaded."""

    def __init__(self, found: source.Source) -> None:
        self.found = found


def fit(name: str) -> FitReport:
    """What the model of a folder or Hub id needs here; nothing but its config and its headers is read."""
    forced, _, rest = name.partition(":")
    kind, what = (forced, rest) if rest and forced in family_names() else ("", name)
    what, options = hub.with_options(what)

    def stop(found: source.Source) -> None:
        raise _Described(found)

    try:
        found = source.locate(what, stop)
    except _Described as described:
        found = described.found
    device = hardware.pick_device(str(options.get("device", "")))
    needs, number = hub.memory_needs(kind, found, options, device)
    spec = hub._checkpoint_spec(kind, found, options)
    shape = shape_of(spec)
    return FitReport(
        name=found.name,
        number=number,
        needs=needs,
        free=hardware.free_bytes(device),
        download=source.in_bytes(found.numbers) if found.folder == Path() else 0,
        disk=shutil.disk_usage(Path.home()).free,
        seconds=None if shape is None else layer_timing.forward_seconds(shape, _timed(number, device), device),
        licence=found.licence,
        billions=round(found.parameters / 1e9, 2),
        twin=spec.twin,
    )


def shape_of(spec: CheckpointSpec) -> NetworkShape | None:
    """The sizes of a network's layers; None where a config does not say them."""
    with suppress(InvalidRequest):
        return read_architecture(spec)
    config = spec.config

    def first(*names: str) -> int:
        return next((int(config[name]) for name in names if config.get(name)), 0)

    width, heads = first("hidden_size", "dim", "n_embd"), first("num_attention_heads", "n_heads", "num_heads")
    ffn = first("intermediate_size", "hidden_dim", "ffn_dim")
    if experts := first("num_experts_per_tok"):
        ffn = experts * (first("moe_intermediate_size") or ffn)
    layers, words = first("num_hidden_layers", "n_layers", "num_layers"), first("vocab_size")
    if not (width and heads and ffn and layers and words):
        return None
    kv, head_width = first("num_key_value_heads") or heads, first("head_dim") or width // heads
    return NetworkShape(layers, width, ffn, heads, kv, head_width, words, 1 if "ForMaskedLM" in spec.native else 2)


def _timed(number: str, device: str) -> str:
    """The dtype in which a layer is timed: the graph's own, while transformers unpacks weights to sixteen bits."""
    if device == "cpu" and number in GRAPH_NUMBERS:
        return number
    return "bf16" if number in ("int8", "int4") else number


def _size(number: float) -> str:
    return f"{number / GIGABYTE:.1f} GB" if number >= GIGABYTE / 10 else f"{max(1, round(number / 1e6))} MB"


def _time(seconds: float) -> str:
    return f"{max(1, round(seconds * 1000))} ms" if seconds < 0.0995 else f"{seconds:.1f} s"
