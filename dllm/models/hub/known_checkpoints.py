"""All known checkpoints, with the memory they need and whether this machine can run them."""

from __future__ import annotations

from dataclasses import dataclass

from unmask.errors import InvalidRequest
from unmask.extras import installed
from unmask.models import family_summary, get_family
from unmask.models.family import Checkpoint, NetworkShape, families
from unmask.models.hub import hardware, layer_timing, source
from unmask.models.hub.engine import INT8_FROM


@dataclass(frozen=True)
class CheckpointInfo:
    """A known checkpoint, as the model menu shows it."""

    name: str
    family: str
    says: str
    good: str  # what it is good at
    asks: str  # a prompt that it answers
    wanted: str  # what it is the first choice for: "smallest", "best", "code", or nothing
    licence: str
    billions: float  # of parameters
    download: int  # bytes, approximately
    disk: int  # bytes of the download and of what is made of it for this machine
    need: int  # bytes of memory, in the number type below
    number: str
    fits: bool
    here: bool  # already in the Hub's cache
    twin: str = ""  # the autoregressive model to compare it with, as a name for `load`
    shape: NetworkShape | None = None  # of a small model, which the page offers for one-click download


def known_checkpoints(device: str = "") -> list[CheckpointInfo]:
    """All known checkpoints: cached ones first, then those that fit, small before large."""
    device = hardware.pick_device(device)
    room, here = hardware.free_bytes(device), {name for name, _ in source.cached()}
    infos = [
        _checkpoint_info(one, kind, device, room, one.name.rpartition(":")[2] in here)
        for kind in families()
        for one in get_family(kind).checkpoints
        if not get_family(kind).torch or installed("torch")
    ]
    return sorted(infos, key=lambda i: (not i.here, not i.fits, i.billions, i.name))


def small_checkpoints(device: str = "") -> list[CheckpointInfo]:
    """The checkpoints offered for one-click download, in a fixed order."""
    return sorted((i for i in known_checkpoints(device) if i.shape), key=lambda i: (i.billions, i.name))


def free_bytes(device: str = "") -> int:
    """Free memory of the chosen device, in bytes."""
    return hardware.free_bytes(hardware.pick_device(device))


def forward_seconds(item: CheckpointInfo, device: str = "") -> float:
    """The estimated seconds of a pass on this machine."""
    if item.shape is None:
        raise ValueError(f"the shape of '{item.name}' is not known")
    return layer_timing.forward_seconds(item.shape, item.number, hardware.pick_device(device))


def _checkpoint_info(one: Checkpoint, kind: str, device: str, room: int, here: bool) -> CheckpointInfo:
    numbers = 1e9 * one.billions
    graph = device == "cpu" and not get_family(kind).torch
    usual = hardware.pick_dtype("", device, int(numbers), "F32" if one.stored == 4 else "BF16", graph)
    if graph and numbers > INT8_FROM and not getattr(get_family(kind).adapter, "framed", False):
        usual = "int8"
    if one.shape is None:
        overhead, unquantized = hardware.OVERHEAD, 0.1 * numbers
    else:
        config = one.shape.to_hub_config()
        overhead = hardware.overhead_bytes(config, "fp32" if graph else usual, True)
        unquantized = hardware.unquantized_parameters(config)
    need = {n: hardware.required_bytes(numbers, n, unquantized, overhead) for n in (usual, "int8", "int4")}
    if graph and one.shape is not None:
        need[usual] = int(hardware.graph_bytes(int(numbers), usual, one.shape.to_hub_config()) + overhead)
    sizes = one.shape.to_hub_config() if one.shape else {}
    made = hardware.graph_bytes(int(numbers), usual, sizes, on_disk=True)
    # small ones are loaded by name alone, so in the default type
    number = usual if one.shape else next((n for n, b in need.items() if b <= room), usual)
    return CheckpointInfo(
        one.name,
        kind,
        family_summary(kind),
        one.good,
        one.asks,
        one.wanted,
        one.licence or get_family(kind).licence,
        one.billions,
        download := int(numbers * one.stored),
        download + (made if graph else 0),
        need[number],
        number,
        need[number] <= room,
        here,
        _twin(one, kind),
        one.shape,
    )


def _twin(one: Checkpoint, kind: str) -> str:
    """The twin that its family names; empty where it has none, or the shape is not known."""
    read = get_family(kind).checkpoint_spec
    if one.shape is None or read is None:
        return ""
    try:
        return read({**one.shape.to_hub_config(), "max_position_embeddings": 0}, one.name).twin
    except (KeyError, InvalidRequest):
        return ""
