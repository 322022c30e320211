"""How many turns a run loses while a model is downloaded, read and opened beside it."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.process import ROOT
from bench.row import Row, at_most
from tests.models.forge import larger
from tests.models.local_hub import environment, local_hub
from unmask.canvas import blank
from unmask.live.device import Client, Device
from unmask.live.loader import Loader
from unmask.models import load
from unmask.run.settings import Settings
from unmask.run.state import start

NAME = "ORG/Large"
FEW = 20  # passes alone


class Counting(Device):
    """A device that counts its jobs other than passes."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs = 0

    async def run(self, work: Callable[[], Any]) -> Any:
        self.jobs += 1
        return await super().run(work)


async def beside() -> dict[str, Any]:
    """Seconds of each pass alone and beside the download, and the turns that the download took."""
    device, denoiser = Counting(), load("denoiser")
    client, state = Client("run"), start(blank([[5] * 8, 64]), Settings(passes=64))

    async def one() -> float:
        began = time.perf_counter()
        await device.infer(client, denoiser, state, False)
        return time.perf_counter() - began

    alone = [await one() for _ in range(FEW + 1)][1:]
    opening = asyncio.ensure_future(Loader(device).model(NAME))
    meanwhile = []
    while not opening.done():
        meanwhile.append(await one())
    await opening
    device.close()
    return {"alone": alone, "meanwhile": meanwhile, "turns": device.jobs}


def rows(tiny: bool = False) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "Large"
        folder.mkdir()
        larger(folder, 50_000 if tiny else 600_000)
        size = (folder / "model.safetensors").stat().st_size
        with local_hub({NAME: folder}) as hub:
            env = os.environ | environment(hub, Path(home)) | {"PYTHONPATH": str(ROOT)}
            answer = subprocess.run(
                [sys.executable, "-m", "bench.download"], cwd=ROOT, env=env, check=True, capture_output=True, text=True
            )
    found = json.loads(answer.stdout.splitlines()[-1])
    usual = statistics.median(found["alone"])
    note = (
        f" ({len(found['meanwhile'])} passes meanwhile, the longest {max(found['meanwhile']) / usual:.1f} x one alone)"
    )
    what = f"turns that a run loses to a model of {size / 1e6:.0f} MB, fetched and opened beside it"
    yield at_most(what, found["turns"], 1, "", 0, note)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(beside())))
