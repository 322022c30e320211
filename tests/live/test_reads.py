"""Models on other machines: their passes wait beside the device's own, and their clock is not the network's."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence

import pytest
import torch

from tests.support import begin
from tests.until import until
from unmask.inference.decode import run_passes
from unmask.live.device import Client
from unmask.models import ModelInput
from unmask.models.toy import Toy
from unmask.run.timeline import Node
from unmask.serve.runtime import Runtime


class Far(Toy):
    """A toy that another machine runs: it answers when the test lets it, after so many seconds on the way."""

    remote = concurrent = True

    def __init__(self, network: float = 0.0) -> None:
        super().__init__()
        self.network, self.waiting, self.go_on = network, 0, threading.Event()

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        self.waiting += 1
        self.go_on.wait(60)
        return super().logits(model_inputs)

    def network_seconds(self) -> float:
        return self.network


@pytest.fixture
async def runtime() -> AsyncIterator[Runtime]:
    runtime = Runtime()
    yield runtime
    await runtime.close()


async def test_a_read_that_waits_delays_no_pass_here(runtime: Runtime) -> None:
    far, near = Far(), Toy()
    assert runtime.device_for(near) is runtime.device and runtime.device_for(far) is not runtime.device
    reads = [
        asyncio.ensure_future(runtime.device_for(far).infer(Client(str(i)), far, begin(), False)) for i in range(6)
    ]
    await until(lambda: far.waiting == 6)  # at once, each on a thread that needs no core
    belief, _ = await runtime.device.infer(Client("near"), near, begin(), False)
    assert belief.known.any() and not any(read.done() for read in reads)
    question = asyncio.ensure_future(runtime.device_for(far).run(lambda: far.go_on.wait(60), Client("lens")))
    assert (
        await runtime.device.run(lambda: "here", Client("question")) == "here"
    )  # a question to a server holds up none
    far.go_on.set()
    assert await question and len(await asyncio.gather(*reads)) == 6


def test_the_clock_of_a_run_is_the_model_s(monkeypatch: pytest.MonkeyPatch) -> None:
    far = Far(network=30.0)
    far.go_on.set()
    seconds = iter(range(0, 10_000, 40))  # each look at the clock is 40 s after the one before
    monkeypatch.setattr("unmask.inference.decode.time.perf_counter", lambda: float(next(seconds)))
    (first, *_), _ = next(run_passes(far, Node(begin(passes=4))))
    in_model, around, clock = first.times
    assert (in_model, clock) == (10_000, 10_000)
    assert around == 70_000  # 40 s of choosing, and the network
