"""A model of 0.6 billion parameters on a host: its download when lines break, how it opens, and ten visitors at once.

Its weights are random and come from a hub on this machine (see `forged.py`)."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from bench.forged import forge
from bench.process import ROOT
from bench.row import Row, at_most
from bench.visitors import run
from tests.models.local_hub import LocalHub, environment, local_hub
from unmask.models import Denoiser, load
from unmask.models.hub.converted import NAME as CONVERTED
from unmask.run.spec import RunSpec
from unmask.serve.runtime import Runtime

NAME = "ORG/Qwen3-0.6B-forged-mdlm"
VISITORS, CELLS, PASSES = 10, 32, 4
CUTS = 3  # times that the line breaks; the process that downloads is killed once
FETCH = f"from unmask.models.hub.source import locate; print(locate({NAME!r}, lambda _: None).folder)"
OPEN = """
import sys, time
began = time.perf_counter()
from unmask.models import load
load(sys.argv[1])
print(time.perf_counter() - began)
"""
MUCH = 1 << 27  # bytes
LONGEST = 600.0  # seconds for this benchmark


def rows(tiny: bool = False) -> Iterator[Row]:
    folder = forge(tiny)
    with tempfile.TemporaryDirectory() as home, local_hub({NAME: folder}) as hub:
        size = (folder / "model.safetensors").stat().st_size
        whole, seconds = downloaded(hub, Path(home), size)
        twice = f"bytes over its size, {size / 1e6:.0f} MB, cut {CUTS} times, its process killed once, {seconds:.0f} s"
        same = digest(folder / "model.safetensors") == digest(whole / "model.safetensors")
        yield at_most(f"a download: {twice}, {'whole' if same else 'DAMAGED'}", hub.sent / size, 1.05 if same else 0)
        environ = os.environ | environment(hub, Path(home)) | {"HF_HUB_OFFLINE": "1"}
        number = "?number=int8" if tiny else ""
        yield at_most("downloaded, then converted and opened", opened(NAME + number, environ), 45, " s")
        yield at_most("opened again, by a new process", opened(NAME + number, environ), 6, " s")
    shutil.rmtree(folder / CONVERTED, ignore_errors=True)
    wait, share = asyncio.run(visited(load(f"{folder}?number=int8"), 3 if tiny else VISITORS))
    yield at_most(
        f"{3 if tiny else VISITORS} visitors at once: the longest wait over the fair share, {share:.2f} s", wait, 1.2
    )


def digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def downloaded(hub: LocalHub, home: Path, size: int) -> tuple[Path, float]:
    """The folder of a download whose lines break and whose process is killed half way, and its seconds."""
    began = time.perf_counter()
    hub.break_after = size // (CUTS + 1) + 1 if size > MUCH else 0  # of a small file, the header comes at once
    environ = os.environ | environment(hub, home)
    command = [sys.executable, "-c", FETCH]
    with subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL) as first:
        while hub.sent < size / 2 and first.poll() is None:
            time.sleep(0.01)
        first.kill()
    answer = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    return Path(answer.stdout.split()[-1]), time.perf_counter() - began


def opened(name: str, environ: dict[str, str]) -> float:
    """Seconds of opening in a process of its own, imports included."""
    command = [sys.executable, "-c", OPEN, name]
    answer = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    return float(json.loads(answer.stdout.splitlines()[-1]))


async def visited(denoiser: Denoiser, visitors: int) -> tuple[float, float]:
    """The longest wait of any pass over the fair share, and that share in seconds."""
    runtime, found = Runtime(), (0.0, 0.0)
    for _ in range(2):  # the first time warms up
        specs = [
            RunSpec(tokens=(5,) * 8, length=CELLS, preset="llada", changes={"passes": PASSES}, seed=seed)
            for seed in range(visitors)
        ]
        sessions = [await runtime.open(denoiser, spec, f"v{at}") for at, spec in enumerate(specs)]
        began = time.perf_counter()
        times = await asyncio.gather(*(run(session) for session in sessions))
        share = (time.perf_counter() - began) / PASSES
        found = max(b - a for each in times for a, b in pairwise(each)) / share, share
        for session in list(runtime.sessions.alive.values()):
            runtime.sessions.close(session)
    await runtime.close()
    return found
