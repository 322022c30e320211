"""A model of 0.6 billion parameters, its weights random, is converted to eight bits and opened: times and memory."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bench.forged import forge
from bench.row import Row, at_most
from unmask.models.hub.converted import NAME

OPENING = """
import json, sys, time
import numpy as np
from unmask.models import load
began = time.perf_counter()
network = load(sys.argv[1]).network
opened, times = time.perf_counter() - began, []
status = open("/proc/self/status").read()
for _ in range(4):
    began = time.perf_counter()
    network.logits(np.full((1, 128), 5), np.arange(128))
    times.append(time.perf_counter() - began)
memory = int(status.split("VmRSS:")[1].split()[0]) / 1e6
print(json.dumps({"memory": memory, "opened": opened, "first": times[0], "later": min(times[1:])}))
"""


def rows(tiny: bool = False) -> Iterator[Row]:
    """Converted once, and opened again, each in a process of its own."""
    folder = forge(tiny)
    shutil.rmtree(folder / NAME, ignore_errors=True)
    name = f"{folder}?number=int8"
    (once, peak), (again, _) = (watched(name) for _ in range(2))
    size = "a tiny model" if tiny else "0.6 billion parameters"
    yield at_most(f"{size}: converted and opened", once["opened"], 40, " s")
    yield at_most(f"{size}: opened again", again["opened"], 3, " s")
    yield at_most("its first pass over a later one", again["first"] / again["later"], 1.5)
    yield at_most("peak memory of both processes while it is converted, opened and used", peak, 1.5, " GB")
    yield at_most("memory when it is open", again["memory"], 1.0, " GB")


def watched(name: str) -> tuple[dict[str, float], float]:
    """What `OPENING` tells, and the most memory in GB that its process and the converting one had together."""
    command, peak = [sys.executable, "-c", OPENING, name], 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            peak = max(peak, sum(map(memory, [process.pid, *children(process.pid)])))
            time.sleep(0.02)
        assert process.stdout
        return json.loads(process.stdout.read()), peak


def children(process: int) -> Iterator[int]:
    with suppress(OSError):  # it has ended
        for thread in Path(f"/proc/{process}/task").iterdir():
            yield from map(int, (thread / "children").read_text().split())


def memory(process: int) -> float:
    """The memory of a process in GB, libraries and mapped files included."""
    try:
        return int(Path(f"/proc/{process}/status").read_text().split("VmRSS:")[1].split()[0]) / 1e6
    except (OSError, IndexError):  # it has ended
        return 0.0
