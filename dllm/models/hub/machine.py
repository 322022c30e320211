"""What this machine can hold, and on which device and in which numbers it thinks fastest."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from dllm.canvas import Refused
from dllm.models.hub.native import NUMBERS

if TYPE_CHECKING:
    import torch

SIZES = {"fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "int8": 1.1, "int4": 0.65}  # bytes a number, scales included
BESIDE = 0.7e9  # bytes for the program, activations and a vocabulary's worth of logits


def device(wish: str = "") -> str:
    """The device that was asked for, or the best there is."""
    import torch

    there = ["cuda"] * torch.cuda.is_available() + ["mps"] * torch.backends.mps.is_available() + ["cpu"]
    if wish == "auto" and torch.cuda.device_count() > 1:
        return "auto"  # spread over the GPUs by accelerate
    if wish in ("", "auto"):
        return there[0]
    if wish.partition(":")[0] not in there:
        raise Refused(f"there is no device '{wish}' here; there are {', '.join(there)}")
    return wish


def free(device: str) -> int:
    """Bytes that are free where a model would lie."""
    import torch

    if device == "auto":
        return sum(torch.cuda.mem_get_info(i)[0] for i in range(torch.cuda.device_count()))
    if device.startswith("cuda"):
        return int(torch.cuda.mem_get_info(device)[0])
    if device == "mps":
        return int(torch.mps.recommended_max_memory() - torch.mps.current_allocated_memory())
    try:
        with open("/proc/meminfo") as table:
            return next(int(row.split()[1]) * 1024 for row in table if row.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 0.7)


def need(parameters: float, number: str) -> int:
    """Bytes that a model of so many numbers needs."""
    return int(parameters * SIZES[number] + BESIDE)


def number(wish: str, device: str, parameters: int, stored: str) -> str:
    """The number type that was asked for, or the fastest that is exact enough and fits; a sentence where none does."""
    room = free(device)
    if wish:
        if wish not in NUMBERS:
            raise Refused(f"no number type '{wish}'; there are {', '.join(NUMBERS)}")
        if need(parameters, wish) > room:
            raise Refused(_too_big(parameters, wish, room))
        return wish
    half = _half(device)
    order = ("fp32", half) if device == "cpu" and (stored == "F32" or _slower(half)) else (half,)
    for name in order:
        if need(parameters, name) <= room:
            return name
    raise Refused(_too_big(parameters, half, room))


def _too_big(parameters: int, number: str, room: int) -> str:
    smaller = [n for n in ("bf16", "int8", "int4") if need(parameters, n) < min(room, need(parameters, number))]
    hint = f"; as {smaller[0]} it would fit" if smaller else ""
    wants = need(parameters, number) / 1e9
    return f"in {number} this model needs {wants:.1f} GB of memory, and {room / 1e9:.1f} GB are free here{hint}"


def _half(device: str) -> str:
    import torch

    if device.startswith(("cuda", "auto")) and not torch.cuda.is_bf16_supported():
        return "fp16"
    return "bf16"


def _slower(half: str) -> bool:
    """Whether a product in half the bits is no faster on this processor: then it is not worth its roughness."""
    import torch

    def took(kind: torch.dtype) -> float:
        side = torch.ones(512, 512, dtype=kind)
        times = []
        for _ in range(4):
            began = time.perf_counter()
            side @ side
            times.append(time.perf_counter() - began)
        return min(times)

    return took(torch.bfloat16) > 0.8 * took(torch.float32)
