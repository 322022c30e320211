"""How long a device is idle between two forwards of a live run, with one reader and with many."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator, Sequence

from torch import Tensor

from bench.row import Row, at_most
from unmask.canvas import blank
from unmask.live.device import Device
from unmask.live.publisher import Subscriber
from unmask.live.session import Session
from unmask.models import ModelInput
from unmask.models.toy import Toy
from unmask.run.command import Play
from unmask.run.event import Done, Stepped
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.timeline import new_timeline

FORWARD = 0.004  # seconds in which the device works and the processor does not


class Elsewhere(Toy):
    """A model that takes time without using the processor, like one on a GPU."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[tuple[float, float]] = []  # of each forward

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Tensor]:
        began = time.perf_counter()
        answers = super().logits(model_inputs)
        time.sleep(FORWARD)
        self.times.append((began, time.perf_counter()))
        return answers


async def reads(subscriber: Subscriber) -> None:
    """Reads and encodes every frame, as a connection does."""
    while not isinstance(event := (await subscriber.get()).event, Done):
        if isinstance(event, Stepped):
            for _ in range(8):
                event.frame.top_ids.tolist()


async def between(readers: int, passes: int) -> float:
    """Milliseconds from the end of a forward to the beginning of the next."""
    device, toy = Device(), Elsewhere()
    session = Session(toy, device, new_timeline(toy.card, start(blank([128]), Settings(passes=passes))))
    reading = [asyncio.ensure_future(reads(session.subscribe())) for _ in range(readers)]
    acting = asyncio.ensure_future(session.run())
    session.send(Play())
    await asyncio.gather(*reading)
    session.close()
    await acting
    device.close()
    return 1000 * statistics.median(b[0] - a[1] for a, b in zip(toy.times, toy.times[1:], strict=False))


def rows(tiny: bool = False) -> Iterator[Row]:
    few, many = 1, 30
    alone, together = (asyncio.run(between(n, 16 if tiny else 128)) for n in (few, many))
    what = f"between two forwards of a live run that {many} read, over one that {few} reads"
    yield at_most(what, together / alone, 1.5, note=f" ({together:.2f} over {alone:.2f} ms)")
