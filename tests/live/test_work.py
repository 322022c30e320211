"""Work for visitors: in fair turns, cut into pieces, limited, and dropped when its caller leaves."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable

import pytest

from tests.until import until
from unmask.decide.pause import may_pause
from unmask.errors import InvalidRequest
from unmask.live import work as work_own
from unmask.live.device import Client, Device
from unmask.live.work import WAITING_EACH, Work


@pytest.fixture
async def device() -> AsyncIterator[Device]:
    made = Device()
    yield made
    made.close()


def busy(seconds: float) -> Callable[[], float]:
    """Work that computes so long, with pauses; returns the seconds that it took from its first turn."""

    def compute() -> float:
        began, clock = time.monotonic(), time.thread_time()
        while time.thread_time() - clock < seconds:
            may_pause()
        return time.monotonic() - began

    return compute


async def test_a_visitor_who_floods_delays_another_by_little(device: Device) -> None:
    """Two seats, first come first served: 400 plans once held another's `open` up for 29 seconds."""
    flood = [asyncio.ensure_future(device.work.run("flood", busy(0.2))) for _ in range(40)]
    await asyncio.sleep(0)
    began = time.monotonic()
    await device.work.run("another", busy(0.01))
    assert time.monotonic() - began < 1.0 and sum(one.done() for one in flood) < 10
    for one in flood:
        one.cancel()
    await asyncio.gather(*flood, return_exceptions=True)
    assert await device.work.run("flood", busy(0.0)) < 1.0  # the threads do not go on
    await until(lambda: not device.work._jobs and not device.work._began and not device.work._running)


async def test_one_visitor_computes_on_one_thread_at_a_time(device: Device) -> None:
    at_once: set[int] = set()
    most = 0

    def counted() -> None:
        nonlocal most
        at_once.add(threading.get_ident())
        most = max(most, len(at_once))
        clock = time.thread_time()
        while time.thread_time() - clock < 0.002:
            pass
        at_once.discard(threading.get_ident())

    await asyncio.gather(*(device.work.run("one", counted) for _ in range(12)))
    assert most == 1


async def test_a_long_job_is_cut_and_a_short_one_of_the_same_visitor_goes_in_between(device: Device) -> None:
    long = asyncio.ensure_future(device.work.run("one", busy(0.5)))
    await asyncio.sleep(0.05)
    await device.work.run("one", busy(0.0))
    assert not long.done()
    await long


async def test_what_costs_too_much_ends_with_a_sentence(device: Device) -> None:
    with pytest.raises(InvalidRequest, match="too long to compute"):
        await device.work.run("one", busy(60.0), limit=0.05)
    waiting = [asyncio.ensure_future(device.work.run("one", busy(9.0))) for _ in range(WAITING_EACH)]
    await asyncio.sleep(0)
    with pytest.raises(InvalidRequest, match="too many requests"):
        await device.work.run("one", busy(0.0))
    assert await device.work.run("another", lambda: 7) == 7
    for one in waiting:
        one.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_what_an_error_or_an_exit_leaves_is_the_callers(device: Device) -> None:
    def ends() -> None:
        raise SystemExit(3)

    with pytest.raises(RuntimeError, match="end"):
        await device.work.run("one", ends)
    with pytest.raises(ZeroDivisionError):
        await device.work.run("one", lambda: 1 / 0)
    assert await device.work.run("one", lambda: 5) == 5


async def test_work_that_waits_elsewhere_gives_its_turn_away(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_own, "THREADS", 1)
    inside, go_on = threading.Event(), threading.Event()

    def away() -> str:
        with device.work.away():
            inside.set()
            go_on.wait(30)
        return "back"

    first = asyncio.ensure_future(device.work.run("one", away))
    while not inside.is_set():
        await asyncio.sleep(0.001)
    assert await device.work.run("another", lambda: 7) == 7
    go_on.set()
    assert await first == "back"


async def test_jobs_of_one_visitor_on_the_device_delay_another_by_one(device: Device) -> None:
    """`familiar` went before every pass: four lines that repeated it held another's run up for 14 seconds."""
    order: list[str] = []

    def job(name: str) -> Callable[[], None]:
        def run() -> None:
            time.sleep(0.01)
            order.append(name)

        return run

    flood, other = Client("questions", visitor="flood"), Client("questions", visitor="other")
    jobs = [device.run(job("flood"), flood) for _ in range(20)]
    waiting = asyncio.gather(*jobs, device.run(job("other"), other))
    await waiting
    assert order.index("other") <= 2


def test_work_is_one_scheduler_with_the_passes() -> None:
    device = Device()
    assert isinstance(device.work, Work) and device.work._queue is device._turns
    device.close()
