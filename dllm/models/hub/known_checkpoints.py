"""What could be opened: every known checkpoint with what it needs, and whether this machine has that."""

from __future__ import annotations

from dataclasses import dataclass

from unmask.models import family_summary, get_family
from unmask.models.family import Checkpoint, NetworkShape, families
from unmask.models.hub import hardware, layer_timing, source


@dataclass(frozen=True)
class CheckpointInfo:
    """One checkpoint of the menu."""

    name: str
    family: str
    says: str
    good: str  # what it is good at
    licence: str
    billions: float  # numbers in its weights
    download: int  # bytes to fetch, about
    need: int  # bytes of memory, in the number type below
    number: str
    fits: bool
    here: bool  # in the cache already: it opens without a network
    shape: NetworkShape | None = None  # of a small one, which opens at one press


def known_checkpoints(device: str = "") -> list[CheckpointInfo]:
    """The menu, what is here first, then what fits, the small before the large."""
    device = hardware.pick_device(device)
    room, here = hardware.free_bytes(device), {name for name, _ in source.cached()}
    made = [
        _checkpoint_info(one, kind, device, room, one.name.rpartition(":")[2] in here)
        for kind in families()
        for one in get_family(kind).checkpoints
    ]
    return sorted(made, key=lambda i: (not i.here, not i.fits, i.billions, i.name))


def small_checkpoints(device: str = "") -> list[CheckpointInfo]:
    """Those that are small enough for a press of a button, always in the same order."""
    return sorted((i for i in known_checkpoints(device) if i.shape), key=lambda i: (i.billions, i.name))


def free_bytes(device: str = "") -> int:
    """Bytes that are free for a model now."""
    return hardware.free_bytes(hardware.pick_device(device))


def forward_seconds(item: CheckpointInfo, device: str = "") -> float:
    """What a pass of it takes here, by the probe."""
    if item.shape is None:
        raise ValueError(f"the shape of '{item.name}' is not known")
    return layer_timing.forward_seconds(item.shape, item.number, hardware.pick_device(device))


def _checkpoint_info(one: Checkpoint, kind: str, device: str, room: int, here: bool) -> CheckpointInfo:
    numbers = 1e9 * one.billions
    usual = hardware.pick_dtype("", device, int(numbers), "F32" if one.stored == 4 else "BF16")
    if one.shape is None:
        beside, whole = hardware.BESIDE, 0.1 * numbers
    else:
        config = one.shape.to_hub_config()
        beside, whole = hardware.overhead_bytes(config, usual, True), hardware.unquantized_parameters(config)
    need = {n: hardware.required_bytes(numbers, n, whole, beside) for n in (usual, "int8", "int4")}
    # a small one opens by its name alone, so in the type that its name gives
    number = usual if one.shape else next((n for n, b in need.items() if b <= room), usual)
    return CheckpointInfo(
        one.name,
        kind,
        family_summary(kind),
        one.good,
        one.licence or get_family(kind).licence,
        one.billions,
        int(numbers * one.stored),
        need[number],
        number,
        need[number] <= room,
        here,
        one.shape,
    )
