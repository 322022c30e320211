"""What could be opened: every known checkpoint with what it needs, and whether this machine has that."""

from __future__ import annotations

from dataclasses import dataclass

from dllm.models import about, family
from dllm.models.contract import Checkpoint
from dllm.models.hub import machine, source
from dllm.models.hub.recipe import families


@dataclass(frozen=True)
class Item:
    """One checkpoint of the menu."""

    name: str
    family: str
    says: str
    licence: str
    billions: float  # numbers in its weights
    need: int  # bytes of memory, in the number type below
    number: str
    fits: bool
    here: bool  # in the cache already: it opens without a network


def items(device: str = "") -> list[Item]:
    """The menu, what is here first, then what fits, the small before the large."""
    device = machine.device(device)
    room, here = machine.free(device), {name for name, _ in source.cached()}
    made = [_item(one, kind, device, room, one.name in here) for kind in families() for one in family(kind).shelf]
    return sorted(made, key=lambda i: (not i.here, not i.fits, i.billions, i.name))


def _item(one: Checkpoint, kind: str, device: str, room: int, here: bool) -> Item:
    need = {n: machine.need(1e9 * one.billions, n, 0.1e9 * one.billions) for n in ("bf16", "int8", "int4")}
    number = next((n for n, b in need.items() if b <= room), "bf16")
    licence = one.licence or family(kind).licence
    return Item(one.name, kind, about(kind), licence, one.billions, need[number], number, need[number] <= room, here)
