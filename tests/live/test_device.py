"""One lane, a thread: fair turns by visitor, shared forwards, and a failure that stays with its own run."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
import torch

from tests.support import begin, ending
from tests.until import LONG, until
from unmask.live.device import Client, Device
from unmask.models import ModelInput
from unmask.models.toy import Toy
from unmask.run.state import State
from unmask.run.step import step


class Slow(Toy):
    """A toy whose passes take so long, or until the test lets it go on."""

    def __init__(self, seconds: float = LONG, seed: int = 0) -> None:
        super().__init__(seed=seed)
        self.seconds, self.threads, self.batches = seconds, set[int](), list[int]()
        self.go_on = threading.Event()

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        self.threads.add(threading.get_ident())
        self.batches.append(len(model_inputs))
        self.go_on.wait(self.seconds)
        return super().logits(model_inputs)


@pytest.fixture
async def device() -> AsyncIterator[Device]:
    device = Device()
    yield device
    device.close()


async def through(device: Device, client: Client, toy: Toy, state: State) -> list[int]:
    device.join(client)
    while not state.done:
        belief, _ = await device.infer(client, toy, state, False)
        state, _ = step(state, belief)
    return state.canvas.tokens.tolist()


async def test_models_are_touched_on_one_thread_and_equal_work_is_batched(device: Device) -> None:
    toy = Slow()
    states = [begin(seed=i, temperature=1.0) for i in range(12)]
    runs = [asyncio.ensure_future(through(device, Client(str(i)), toy, s)) for i, s in enumerate(states)]
    await until(lambda: toy.batches and toy.batches[0] + device.waiting == 12)
    toy.go_on.set()
    assert await asyncio.gather(*runs) == [ending(Toy(), s) for s in states]
    assert len(toy.threads) == 1 and threading.get_ident() not in toy.threads
    assert max(toy.batches) > 6


async def test_sides_of_one_pair_never_share_a_forward(device: Device) -> None:
    toy = Slow()
    clients = [Client(f"{group}{side}", group) for group in "abc" for side in "12"]
    runs = [asyncio.ensure_future(through(device, p, toy, begin(passes=4))) for p in clients]
    await until(lambda: toy.batches and toy.batches[0] + device.waiting == 6)
    toy.go_on.set()
    await asyncio.gather(*runs)
    assert max(toy.batches) == 3


async def test_a_newcomer_is_not_let_in_before_all_others(device: Device) -> None:
    """Levelled only with those who happened to wait, a newcomer once thought alone until it had had as much."""
    old, new = Client("old"), Client("new")
    device._turns.spend(old, 100.0)
    await device.infer(old, Toy(), begin(), False)
    order: list[str] = []
    toys = {"old": Slow(0.005, 1), "new": Slow(0.005, 2)}

    async def go(client: Client) -> None:
        for _ in range(6):
            await device.infer(client, toys[client.name], begin(), False)
            order.append(client.name)

    await asyncio.gather(go(old), go(new))
    assert {*order[:4]} == {"old", "new"}


async def test_a_long_canvas_does_not_starve_a_short_one(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unmask.live.device.RETURN_WINDOW", 5.0)  # a slow machine asks again later
    turns = {"long": 0, "short": 0}
    toys = {"long": Slow(0.1, 1), "short": Slow(0.001, 2)}

    async def go(name: str) -> None:
        client = Client(name)
        device.join(client)
        while True:
            await device.infer(client, toys[name], begin(), False)
            turns[name] += 1

    tasks = [asyncio.ensure_future(go(name)) for name in turns]
    await until(lambda: turns["long"] >= 4)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert turns["short"] > 2 * turns["long"] > 2  # fair by time, not by turns


async def test_all_may_leave_while_the_least_is_awaited(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unmask.live.device.RETURN_WINDOW", LONG)
    rich = Client("rich")
    device._turns.spend(rich, 50.0)
    await device.infer(Client("poor"), Toy(), begin(), False)
    leaving = asyncio.ensure_future(device.infer(rich, Toy(), begin(), False))
    await until(lambda: device.waiting)
    leaving.cancel()
    await until(lambda: not device.waiting)
    with device._wake:  # the moment is over
        device._returning.clear()
        device._wake.notify_all()
    belief, _ = await asyncio.wait_for(device.infer(rich, Toy(), begin(), False), LONG)
    assert belief.known.any()


async def test_shared_says_whether_others_had_the_device_meanwhile(device: Device) -> None:
    first, second = Client("first"), Client("second")
    await through(device, first, Toy(), begin())
    await through(device, second, Toy(), begin())  # after, not meanwhile
    assert not first.shared and not second.shared
    pair = [Client("left", "pair"), Client("right", "pair")]
    await asyncio.gather(*(through(device, p, Toy(), begin()) for p in pair))
    assert not any(p.shared for p in pair)
    rivals = [Client("a"), Client("b")]
    toys = [Slow(seed=i) for i in range(2)]
    runs = [asyncio.ensure_future(through(device, p, t, begin())) for p, t in zip(rivals, toys, strict=True)]
    await until(lambda: device.waiting and any(t.batches for t in toys))
    for toy in toys:
        toy.go_on.set()
    await asyncio.gather(*runs)
    assert all(p.shared for p in rivals)


async def test_a_clock_runs_only_while_it_has_the_device(device: Device) -> None:
    client = Client("a")
    _, spent = await device.infer(client, Slow(0.05), begin(), False)
    await device.infer(Client("b"), Slow(0.05), begin(), False)
    assert client.clock == spent >= 0.05


async def test_whoever_leaves_takes_the_request_along(device: Device) -> None:
    toy, other = Slow(seed=1), Slow(0.0, 2)
    running = asyncio.ensure_future(device.infer(Client("running"), toy, begin(), False))
    await until(lambda: toy.batches)
    waiting = asyncio.ensure_future(device.infer(Client("waiting"), other, begin(), False))
    await until(lambda: device.waiting)
    waiting.cancel()
    running.cancel()  # mid-thought: the thread goes on, the answer falls to the ground
    for task in (waiting, running):
        with contextlib.suppress(asyncio.CancelledError):
            await task
    toy.go_on.set()
    belief, _ = await device.infer(Client("next"), Toy(), begin(), False)
    assert belief.known.any() and other.batches == [] and toy.batches == [1]


class Falling(Toy):
    """Fails on canvases that hold token 13."""

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        if any((t.tokens == 13).any() for t in model_inputs):
            raise MemoryError("no room")
        return super().logits(model_inputs)


async def test_batch_mates_of_a_failure_finish_with_their_solo_tokens(device: Device) -> None:
    toy = Falling(seed=1)
    states = [begin(seed=i, prompt=[1, 2, 13 if i == 2 else 3], bans=(13,), cells=9) for i in range(5)]
    answers = await asyncio.gather(
        *(through(device, Client(str(i)), toy, s) for i, s in enumerate(states)), return_exceptions=True
    )
    assert isinstance(answers.pop(2), MemoryError)
    states.pop(2)
    assert answers == [ending(toy, s) for s in states]


class Cramped(Toy):
    """Has no room while it keeps a cache, or ever."""

    def __init__(self, forgets: bool, wide: bool = False) -> None:
        super().__init__(seed=1)
        self.forgets, self.kept, self.wide = forgets, True, wide

    def clear_caches(self) -> None:
        self.kept = not self.forgets

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        if self.kept:
            raise torch.OutOfMemoryError("tried to allocate 9.3 GiB")
        if self.wide and len(model_inputs[0].rows) > 1:
            raise torch.OutOfMemoryError("tried to allocate 1.3 GiB")
        return super().logits(model_inputs)


async def test_where_memory_runs_out_a_run_goes_on_without_caches_or_ends_with_a_sentence(device: Device) -> None:
    """Nothing handled it: the run ended with the library's own words."""
    assert await through(device, Client("a"), Cramped(forgets=True), begin()) == ending(Toy(seed=1), begin())
    narrow = Cramped(forgets=True, wide=True)  # room for one row, and somebody looks at all
    belief, _ = await device.infer(Client("c"), narrow, begin("left_to_right"), True)
    assert belief.known.sum() == 1
    with pytest.raises(MemoryError, match=r"not enough memory for a canvas of 21 cells: choose a shorter one"):
        await device.infer(Client("b"), Cramped(forgets=False), begin(), False)


async def test_jobs_run_on_the_device_thread_and_fail_alone(device: Device) -> None:
    assert await device.run(threading.get_ident) != threading.get_ident()

    def fall() -> None:
        raise OSError("not there")

    with pytest.raises(OSError, match="not there"):
        await device.run(fall)
    assert await device.run(lambda: 3) == 3


async def test_a_visitor_with_many_runs_delays_another_by_one_turn(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind 64 runs of one visitor another's first step once came after 112 seconds."""
    monkeypatch.setattr("unmask.live.device.RETURN_WINDOW", 5.0)  # a slow machine asks again later
    order: list[str] = []

    async def go(client: Client, cells: int) -> None:
        toy, state = Slow(0.005, cells), begin(cells=cells, passes=3)
        for _ in range(3):
            await device.infer(client, toy, state, False)
            order.append(client.visitor)

    crowd = [asyncio.ensure_future(go(Client(f"run {i}", visitor="crowd"), 8 + i)) for i in range(24)]
    await until(lambda: len(order) > 2)
    began = len(order)
    await go(Client("one", visitor="single"), 40)
    assert order.index("single") - began <= 3  # one that is thought, one that was picked, one of chance
    assert len(order) - began <= 10  # three turns of one, and no more than as many of the crowd between
    monkeypatch.setattr("unmask.live.device.RETURN_WINDOW", 0.0)
    with device._wake:  # nobody waits for the one who is gone
        device._returning.clear()
        device._wake.notify_all()
    await asyncio.gather(*crowd)


async def test_a_closed_device_says_so() -> None:
    device = Device()
    toys = [Slow(seed=i) for i in range(3)]
    stuck = [asyncio.ensure_future(device.infer(Client(str(i)), t, begin(), False)) for i, t in enumerate(toys)]
    await until(lambda: any(t.batches for t in toys) and device.waiting == 2)
    closing = asyncio.ensure_future(asyncio.to_thread(device.close))
    await until(lambda: device._closed)
    for toy in toys:
        toy.go_on.set()
    await closing
    answers: list[Any] = await asyncio.gather(*stuck, return_exceptions=True)
    assert any(isinstance(t, RuntimeError) for t in answers)
    with pytest.raises(RuntimeError, match="closed"):
        await device.infer(Client("late"), Toy(), begin(), False)
