"""What could be opened: every known checkpoint with what it needs, and whether this machine has that."""

from __future__ import annotations

from dataclasses import dataclass

from unmask.models import about, family
from unmask.models.family import Checkpoint, Shape, families
from unmask.models.hub import hardware, layer_timing, source


@dataclass(frozen=True)
class Item:
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
    shape: Shape | None = None  # of a small one, which opens at one press


def items(device: str = "") -> list[Item]:
    """The menu, what is here first, then what fits, the small before the large."""
    device = hardware.device(device)
    room, here = hardware.free(device), {name for name, _ in source.cached()}
    made = [
        _item(one, kind, device, room, one.name.rpartition(":")[2] in here)
        for kind in families()
        for one in family(kind).shelf
    ]
    return sorted(made, key=lambda i: (not i.here, not i.fits, i.billions, i.name))


def small(device: str = "") -> list[Item]:
    """Those that are small enough for a press of a button, always in the same order."""
    return sorted((i for i in items(device) if i.shape), key=lambda i: (i.billions, i.name))


def room(device: str = "") -> int:
    """Bytes that are free for a model now."""
    return hardware.free(hardware.device(device))


def seconds(item: Item, device: str = "") -> float:
    """What a pass of it takes here, by the probe."""
    if item.shape is None:
        raise ValueError(f"the shape of '{item.name}' is not known")
    return layer_timing.seconds(item.shape, item.number, hardware.device(device))


def _item(one: Checkpoint, kind: str, device: str, room: int, here: bool) -> Item:
    numbers = 1e9 * one.billions
    usual = hardware.number("", device, int(numbers), "F32" if one.stored == 4 else "BF16")
    if one.shape is None:
        beside, whole = hardware.BESIDE, 0.1 * numbers
    else:
        config = one.shape.config()
        beside, whole = hardware.beside(config, usual, True), hardware.whole(config)
    need = {n: hardware.need(numbers, n, whole, beside) for n in (usual, "int8", "int4")}
    # a small one opens by its name alone, so in the type that its name gives
    number = usual if one.shape else next((n for n, b in need.items() if b <= room), usual)
    return Item(
        one.name,
        kind,
        about(kind),
        one.good,
        one.licence or family(kind).licence,
        one.billions,
        int(numbers * one.stored),
        need[number],
        number,
        need[number] <= room,
        here,
        one.shape,
    )
