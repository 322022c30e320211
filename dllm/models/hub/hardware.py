"""Choice of device and number type, and memory estimates: from facts about the machine, never from timings."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.models.hub.native import NUMBERS

SIZES = {
    "fp32": 4.0,
    "bf16": 2.0,
    "fp16": 2.0,
    "int8": 1.01,
    "int4": 0.57,
}  # bytes a parameter, quantization scales included
GPU_FILES = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # of NVIDIA, of AMD, and of Windows below Linux
MAX_SHARE = 0.8  # of total memory that one float32 model may use
CELLS, ROWS = 1024, 256  # size of the canvas that estimates assume, and its open cells
PROGRAM = 0.3e9  # bytes of the program itself
SCORES = 3  # copies of a layer's attention scores at once, as measured
OVERHEAD = 0.7e9  # bytes for the program, activations and logits, if the network's shape is unknown


def pick_device(requested: str = "") -> str:
    """The requested device, or the best available one."""
    torch = None if requested == "cpu" else _gpu_torch()
    cuda, mps = (torch.cuda.is_available(), torch.backends.mps.is_available()) if torch else (False, False)
    available = ["cuda"] * cuda + ["mps"] * mps + ["cpu"]
    if requested == "auto" and torch is not None and cuda and torch.cuda.device_count() > 1:
        return "auto"  # spread over the GPUs by accelerate
    if requested in ("", "auto"):
        return available[0]
    if requested.partition(":")[0] not in available:
        raise InvalidRequest(f"no device '{requested}' on this machine; there are {', '.join(available)}")
    return requested


def _gpu_torch() -> Any:
    """torch, if it is installed and this machine may have a GPU: importing it takes seconds and much memory."""
    possible = sys.platform != "linux" or config().zero_gpu or any(Path(file).exists() for file in GPU_FILES)
    return import_module("torch") if possible and find_spec("torch") else None


def free_bytes(device: str) -> int:
    """Free memory of a device, in bytes."""
    if device != "cpu":
        return _gpu_bytes(device, 0)
    try:
        with open("/proc/meminfo") as table:
            return next(int(row.split()[1]) * 1024 for row in table if row.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 0.7)


def total_bytes(device: str) -> int:
    """Total memory of a device, in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if device == "cpu" else _gpu_bytes(device, 1)


def _gpu_bytes(device: str, which: int) -> int:
    """Free (0) or total (1) memory of a device of torch's."""
    import torch

    if device == "mps":
        return int(torch.mps.recommended_max_memory() - (0 if which else torch.mps.current_allocated_memory()))
    cards = range(torch.cuda.device_count()) if device == "auto" else [device]
    return sum(int(torch.cuda.mem_get_info(card)[which]) for card in cards)


def required_bytes(parameters: float, number: str, unquantized: float = 0, overhead: float = OVERHEAD) -> int:
    """Bytes of memory for a model; `unquantized` parameters stay in 16 bits (see `hub.quantized`)."""
    half = min(unquantized, parameters) if number in ("int8", "int4") else 0
    return int((parameters - half) * SIZES[number] + half * SIZES["bf16"] + overhead)


def graph_bytes(parameters: int, number: str, config: Mapping[str, Any], on_disk: bool = False) -> int:
    """Bytes of a graph's weights in memory or, with `on_disk`, in its file.

    Of the embeddings in float16 only the rows that are needed are read into memory; the head has a table of its own."""
    own = config.get("text_config") or config
    table = int(own.get("vocab_size") or 0) * int(own.get("hidden_size") or 0)
    layers = parameters - unquantized_parameters(config)
    if number == "int8":
        return int(SIZES["int8"] * (layers + table) + 2 * table * on_disk)
    return int(SIZES["fp32"] * (layers + 2 * table))


def overhead_bytes(config: Mapping[str, Any], number: str, cached: bool) -> int:
    """Bytes besides the weights: the program, the KV caches, the attention of one layer and the logits of a canvas.

    `config` is that of the transformers class; missing fields get the values of a common model."""
    own = config.get("text_config") or config
    width, heads = int(own.get("hidden_size") or 4096), int(own.get("num_attention_heads") or 32)
    depth = int(own.get("head_dim") or width // heads) * int(own.get("num_key_value_heads") or heads)
    cell = 2 * int(own.get("num_hidden_layers") or 32) * depth * SIZES["fp32" if number == "fp32" else "bf16"]
    longest = min(int(own.get("max_position_embeddings") or CELLS), CELLS)
    caches = 2 * cell * longest if cached else 0  # the newest cache is kept at any size, and is copied to grow
    wide = 4 if number == "fp32" else 2
    attention = SCORES * heads * longest**2 * wide
    table = min(longest, ROWS) * int(own.get("vocab_size") or 150_000) * wide
    return int(PROGRAM + caches + attention + table)


def unquantized_parameters(config: Mapping[str, Any]) -> int:
    """The count of parameters that are never quantized: the embeddings, and an untied output head."""
    own = config.get("text_config") or config
    table = int(own.get("vocab_size") or 0) * int(own.get("hidden_size") or 0)
    return table * (1 if config.get("tie_word_embeddings", own.get("tie_word_embeddings")) else 2)


def pick_dtype(requested: str, device: str, parameters: int, stored: str, graph: bool = False) -> str:
    """The requested number type, or a default from the checkpoint and the device; a graph has no sixteen bits.

    Free memory is ignored, so that a checkpoint always runs in the same type on the same machine."""
    if requested and requested not in NUMBERS:
        raise InvalidRequest(f"no number type '{requested}'; there are {', '.join(NUMBERS)}")
    half = _half_dtype(device)
    use_fp32 = device == "cpu" and (stored == "F32" or not _has_half_units(half))
    use_fp32 &= required_bytes(parameters, "fp32") <= MAX_SHARE * total_bytes(device)
    return requested or ("fp32" if use_fp32 or graph else half)


def check_memory(needs: Mapping[str, int], number: str, device: str) -> None:
    """Raises InvalidRequest if too little memory is free; `needs` is in bytes, by number type."""
    if needs[number] <= (room := free_bytes(device)):
        return
    smaller = [n for n in ("bf16", "int8", "int4") if needs[n] < min(room, needs[number])]
    hint = f"; as {smaller[0]} it would fit" if smaller else ": choose a smaller model"
    wants = needs[number] / 1e9
    raise InvalidRequest(
        f"in {number} this model needs {wants:.1f} GB of memory, and {room / 1e9:.1f} GB are free here{hint}"
    )


def _half_dtype(device: str) -> str:
    if not device.startswith(("cuda", "auto")):
        return "bf16"
    import torch

    return "bf16" if torch.cuda.is_bf16_supported() else "fp16"


def _has_half_units(half: str) -> bool:
    """Whether this CPU has bf16 matmul units (AVX-512 BF16 or AMX); without them bf16 is several times slower."""
    try:
        features = Path("/proc/cpuinfo").read_text()
    except OSError:
        return False
    return half == "bf16" and ("avx512_bf16" in features or "amx_bf16" in features)


def threads() -> int:
    """The number of cores this process may use: its affinity, the configured limit and the container's quota."""
    pinned = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cores = min(pinned, config().cores or pinned)
    try:
        quota, _, period = Path("/sys/fs/cgroup/cpu.max").read_text().partition(" ")
        return max(1, min(cores, round(int(quota) / int(period))))
    except (OSError, ValueError, ZeroDivisionError):  # no such file, or no limit
        return cores
