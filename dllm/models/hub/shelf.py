"""What could be opened: every known checkpoint with what it needs, and whether this machine has that."""

from __future__ import annotations

from dataclasses import dataclass

from dllm.models import family
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
    made = [_item(name, kind, billions, room, name in here) for kind in families() for name, billions in _shelf(kind)]
    return sorted(made, key=lambda i: (not i.here, not i.fits, i.billions, i.name))


def _shelf(kind: str) -> tuple[tuple[str, float], ...]:
    return tuple(getattr(family(kind), "SHELF", ()))


def _item(name: str, kind: str, billions: float, room: int, here: bool) -> Item:
    need = {n: machine.need(1e9 * billions, n) for n in ("bf16", "int8", "int4")}
    number = next((n for n, b in need.items() if b <= room), "bf16")
    says = (family(kind).__doc__ or "").strip().splitlines()[0]
    licence = str(getattr(family(kind), "LICENCE", "see its page"))
    return Item(name, kind, says, licence, billions, need[number], number, need[number] <= room, here)
