"""What this machine can hold, and on which device and in which numbers it thinks: facts about it, never a race."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.models.hub.native import NUMBERS

SIZES = {"fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "int8": 1.01, "int4": 0.57}  # bytes a number, scales included
LARGEST = 0.8  # of all memory, for one model in float32
CELLS, ROWS = 1024, 256  # of a canvas that is counted with, and those of its cells that are open at once
PROGRAM = 0.3e9  # bytes
BESIDE = 0.7e9  # bytes for the program, activations and a vocabulary's worth of logits


def pick_device(requested: str = "") -> str:
    """The device that was asked for, or the best there is."""
    import torch

    there = ["cuda"] * torch.cuda.is_available() + ["mps"] * torch.backends.mps.is_available() + ["cpu"]
    if requested == "auto" and torch.cuda.device_count() > 1:
        return "auto"  # spread over the GPUs by accelerate
    if requested in ("", "auto"):
        return there[0]
    if requested.partition(":")[0] not in there:
        raise InvalidRequest(f"there is no device '{requested}' here; there are {', '.join(there)}")
    return requested


def free_bytes(device: str) -> int:
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


def total_bytes(device: str) -> int:
    """Bytes that such a device has when nothing lies there."""
    import torch

    if device == "auto":
        return sum(torch.cuda.mem_get_info(i)[1] for i in range(torch.cuda.device_count()))
    if device.startswith("cuda"):
        return int(torch.cuda.mem_get_info(device)[1])
    if device == "mps":
        return int(torch.mps.recommended_max_memory())
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def required_bytes(parameters: float, number: str, whole: float = 0, beside: float = BESIDE) -> int:
    """Bytes that a model of so many numbers needs; some are never packed (see `hub.packed`)."""
    half = min(whole, parameters) if number in ("int8", "int4") else 0
    return int((parameters - half) * SIZES[number] + half * SIZES["bf16"] + beside)


def overhead_bytes(config: Mapping[str, Any], number: str, cached: bool) -> int:
    """Bytes beside the weights: the program, keys and values that are kept, and logits of a canvas with their sums.

    `config` is the native one; where it is silent, what a common model has."""
    own = config.get("text_config") or config
    width, heads = int(own.get("hidden_size") or 4096), int(own.get("num_attention_heads") or 32)
    depth = int(own.get("head_dim") or width // heads) * int(own.get("num_key_value_heads") or heads)
    cell = 2 * int(own.get("num_hidden_layers") or 32) * depth * SIZES["fp32" if number == "fp32" else "bf16"]
    longest = min(int(own.get("max_position_embeddings") or CELLS), CELLS)
    caches = 2 * cell * longest if cached else 0  # the newest one is kept however large it is, and grows by a copy
    table = (
        min(longest, ROWS) * int(own.get("vocab_size") or 150_000) * 20
    )  # logits, and their sums in double precision
    return int(PROGRAM + caches + table)


def unquantized_parameters(config: Mapping[str, Any]) -> int:
    """How many numbers are never packed: those of the embeddings, and of a head that is not the same."""
    own = config.get("text_config") or config
    table = int(own.get("vocab_size") or 0) * int(own.get("hidden_size") or 0)
    return table * (1 if config.get("tie_word_embeddings", own.get("tie_word_embeddings")) else 2)


def pick_dtype(requested: str, device: str, parameters: int, stored: str) -> str:
    """The number type that was asked for, or the one that checkpoint and device give.

    What is free just now has no say: the same checkpoint on the same machine always thinks in the same numbers."""
    if requested and requested not in NUMBERS:
        raise InvalidRequest(f"no number type '{requested}'; there are {', '.join(NUMBERS)}")
    half = _half_dtype(device)
    whole = device == "cpu" and (stored == "F32" or not _has_half_units(half))
    whole &= required_bytes(parameters, "fp32") <= LARGEST * total_bytes(device)
    return requested or ("fp32" if whole else half)


def check_memory(needs: Mapping[str, int], number: str, device: str) -> None:
    """A sentence where what a model needs in this number type is not free; `needs` has it for each."""
    if needs[number] <= (room := free_bytes(device)):
        return
    smaller = [n for n in ("bf16", "int8", "int4") if needs[n] < min(room, needs[number])]
    hint = f"; as {smaller[0]} it would fit" if smaller else ""
    wants = needs[number] / 1e9
    raise InvalidRequest(
        f"in {number} this model needs {wants:.1f} GB of memory, and {room / 1e9:.1f} GB are free here{hint}"
    )


def _half_dtype(device: str) -> str:
    import torch

    if device.startswith(("cuda", "auto")) and not torch.cuda.is_bf16_supported():
        return "fp16"
    return "bf16"


def _has_half_units(half: str) -> bool:
    """Whether this processor has units for products in half the bits; without them they cost several times more."""
    import torch

    return half == "bf16" and bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())


def threads() -> int:
    """The cores that this process may use: what it is pinned to or its user allows, and what its container lets it."""
    pinned = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cores = min(pinned, config().cores or pinned)
    try:
        quota, _, period = Path("/sys/fs/cgroup/cpu.max").read_text().partition(" ")
        return max(1, min(cores, round(int(quota) / int(period))))
    except (OSError, ValueError, ZeroDivisionError):  # no such file, or no limit
        return cores
