"""Lanes of one device think at once: with the bits of a run alone, in fair turns, and never in each other's way."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest
import torch

from tests.support import begin, ending
from tests.until import LONG, until
from unmask.canvas import blank
from unmask.inference.decode import decode
from unmask.live.device import Client, Device
from unmask.models import Denoiser, ModelInput, load
from unmask.models.bundled import FOLDER
from unmask.models.toy import Toy
from unmask.run.settings import Settings
from unmask.run.state import State, start
from unmask.run.step import step


class Watched(Toy):
    """A toy that counts who is in it, and lets nobody out before the test does."""

    def __init__(self, seed: int = 0, concurrent: bool = False, threads: int = 1) -> None:
        super().__init__(seed=seed)
        self.concurrent, self.card = concurrent, replace(self.card, threads=threads)
        self.inside, self.most, self.entered = 0, 0, 0
        self.go_on, self._count = threading.Event(), threading.Lock()

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        with self._count:
            self.inside, self.entered = self.inside + 1, self.entered + 1
            self.most = max(self.most, self.inside)
        self.go_on.wait(LONG)
        with self._count:
            self.inside -= 1
        return super().logits(model_inputs)


@pytest.fixture
async def device() -> AsyncIterator[Device]:
    device = Device(workers=2)
    yield device
    await asyncio.to_thread(device.close)


def option(device: Device, client: Client, model: Denoiser, **changes: int) -> "asyncio.Future[object]":
    return asyncio.ensure_future(device.infer(client, model, begin(**changes), False))


async def through(device: Device, client: Client, model: Denoiser, state: State) -> list[int]:
    device.join(client)
    while not state.done:
        belief, _ = await device.infer(client, model, state, False)
        state, _ = step(state, belief)
    return state.canvas.tokens.tolist()


async def test_two_think_at_once_and_as_if_alone(device: Device) -> None:
    toy = Watched(concurrent=True)
    states = [begin(seed=i, temperature=1.0) for i in range(6)]
    runs = [asyncio.ensure_future(through(device, Client(str(i)), toy, s)) for i, s in enumerate(states)]
    await until(lambda: toy.inside == 2)
    toy.go_on.set()
    assert await asyncio.gather(*runs) == [ending(Toy(), s) for s in states]
    assert toy.most == 2


async def test_lanes_that_rest_share_what_waits(device: Device) -> None:
    """One lane once could take all in one forward, while the other had nothing."""
    release = threading.Event()
    job = asyncio.ensure_future(device.run(lambda: release.wait(LONG)))
    toy = Watched(concurrent=True)
    runs = [option(device, Client(str(i)), toy) for i in range(6)]
    await until(lambda: device.waiting == 6)
    release.set()
    await until(lambda: toy.inside == 2)
    assert not device.waiting
    toy.go_on.set()
    await asyncio.gather(job, *runs)


async def test_what_keeps_something_between_thoughts_has_one_lane(device: Device) -> None:
    keeps, other = Watched(1), Watched(2)
    runs = [option(device, Client(f"{i}"), keeps, cells=8 + i) for i in range(4)]
    await until(lambda: keeps.inside == 1)
    runs += [option(device, Client("other"), other)]
    await until(lambda: other.inside == 1)
    keeps.go_on.set()
    other.go_on.set()
    await asyncio.gather(*runs)
    assert keeps.most == 1 and keeps.entered == 4


async def test_sides_of_one_pair_never_think_at_once(device: Device) -> None:
    left, right, other = Watched(1), Watched(2), Watched(3)
    runs = [option(device, Client("left", "pair"), left)]
    await until(lambda: left.inside == 1)
    runs += [option(device, Client("right", "pair"), right), option(device, Client("other"), other)]
    await until(lambda: other.inside == 1)
    assert right.entered == 0
    left.go_on.set()
    await until(lambda: right.inside == 1)
    right.go_on.set()
    other.go_on.set()
    await asyncio.gather(*runs)


async def test_what_takes_many_threads_has_all_lanes_and_nobody_overtakes_it(device: Device) -> None:
    small, large, late = Watched(1), Watched(2, threads=2), Watched(3)
    first, poor, rich = Client("first"), Client("poor"), Client("rich")
    runs = [option(device, first, small)]
    await until(lambda: small.inside == 1)
    device._turns.spend(rich, 100.0)
    runs += [option(device, poor, large), option(device, rich, late)]
    await until(lambda: device.waiting == 2)
    small.go_on.set()
    await until(lambda: large.inside == 1)
    assert late.entered == 0
    large.go_on.set()
    late.go_on.set()
    await asyncio.gather(*runs)


async def test_a_job_has_the_device_to_itself(device: Device) -> None:
    small, late = Watched(1), Watched(2)
    started, release = threading.Event(), threading.Event()

    def job() -> bool:
        started.set()
        return release.wait(LONG)

    runs = [option(device, Client("small"), small)]
    await until(lambda: small.inside == 1)
    done = asyncio.ensure_future(device.run(job))
    await until(lambda: device._jobs)
    runs += [option(device, Client("late"), late)]
    await until(lambda: device.waiting == 1)
    assert not started.is_set()
    small.go_on.set()
    await until(started.is_set)
    assert late.entered == 0
    late.go_on.set()
    release.set()
    assert await done
    await asyncio.gather(*runs)


async def test_who_thinks_beside_another_has_shared_the_device(device: Device) -> None:
    clients, toys = [Client("a"), Client("b")], [Watched(1), Watched(2)]
    runs = [option(device, c, t) for c, t in zip(clients, toys, strict=True)]
    await until(lambda: all(toy.inside for toy in toys))
    assert all(client.shared for client in clients)
    for toy in toys:
        toy.go_on.set()
    await asyncio.gather(*runs)


async def test_the_short_side_of_a_pair_has_its_moment_though_a_lane_rests(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lane that rests would take the long side's thought at once, and the pair would go by turns and not by time."""
    monkeypatch.setattr("unmask.live.device.RETURN_WINDOW", LONG)
    short, long = Client("short", "pair"), Client("long", "pair")
    toys = {"short": Watched(1), "long": Watched(2)}
    toys["short"].go_on.set()
    device._turns.spend(long, 100.0)
    await device.infer(short, toys["short"], begin(), False)
    later = option(device, long, toys["long"])
    for _ in range(3):
        await device.infer(short, toys["short"], begin(), False)
    assert toys["short"].entered == 4 and toys["long"].entered == 0
    with device._wake:  # its moment is over
        device._returning.clear()
        device._wake.notify_all()
    toys["long"].go_on.set()
    await later


@pytest.mark.skipif(not (FOLDER / "denoiser").exists(), reason="the pair's weights are not here")
async def test_the_pair_thinks_in_two_lanes_as_alone_each_in_one_thread(device: Device) -> None:
    denoiser, threads = load("denoiser"), set[tuple[str, int]]()
    assert denoiser.concurrent and not load("twin").concurrent
    answers = denoiser.logits

    def logits(model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        threads.add((threading.current_thread().name, torch.get_num_threads()))
        return answers(model_inputs)

    denoiser.logits = logits  # type: ignore[method-assign]
    prompt = denoiser.tokenizer.encode("Story: Lily had a red kite.")
    states = [start(blank([prompt, 16]), Settings(passes=4, seed=i, temperature=1.0)) for i in range(5)]
    alone = [list(decode(denoiser, s))[-1][0].canvas.tokens.tolist() for s in states]
    threads.clear()
    runs = [through(device, Client(str(i)), denoiser, s) for i, s in enumerate(states)]
    assert await asyncio.gather(*runs) == alone
    assert {name for name, _ in threads} <= {"device-cpu-0", "device-cpu-1"}
    assert {count for _, count in threads} == {1}
