"""Opening a model beside a run: it takes one turn, can be stopped, and models that nobody uses make room."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from tests.support import begin
from tests.until import until
from unmask.errors import InvalidRequest
from unmask.live import loader as loading
from unmask.live.device import Client, Device
from unmask.live.loader import Loader
from unmask.models import Denoiser, Finish, prepare
from unmask.models.toy import Toy


@pytest.fixture
async def device() -> AsyncIterator[Device]:
    device = Device()
    yield device
    device.close()


async def test_a_run_beside_a_slow_load_loses_one_turn(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading 16 GB on the device's own thread once stopped every run for as long as it took.

    The load here ends only after the run beside it has made thirty passes."""
    far, finished = threading.Event(), list[int]()

    def slow(name: str, **options: Any) -> Finish:
        assert far.wait(60)
        finish = prepare(name, **options)

        def last() -> Denoiser:
            finished.append(threading.get_ident())
            return finish()

        return last

    monkeypatch.setattr(loading, "prepare", slow)
    opening = asyncio.ensure_future(Loader(device).model("toy:3"))
    client, toy, passes = Client("run"), Toy(), 0
    while not opening.done():
        await device.infer(client, toy, begin(), False)
        passes += 1
        if passes == 30:
            far.set()
    assert (await opening).card.name == "toy 3" and passes >= 30
    assert finished == [await device.run(threading.get_ident)]  # one turn, on the device's thread


async def test_a_model_is_opened_once_however_many_ask(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    monkeypatch.setattr(loading, "prepare", lambda name, **options: names.append(name) or prepare(name, **options))
    loader = Loader(device)
    first, second = await asyncio.gather(loader.model("toy"), loader.model("toy"))
    assert first is second is await loader.model("toy") and names == ["toy"]
    with pytest.raises(InvalidRequest, match="no model 'nobody'"):
        await loader.model("nobody")
    with pytest.raises(InvalidRequest, match="no model 'nobody'"):  # asked for again, it is tried again
        await loader.model("nobody")
    assert names == ["toy", "nobody", "nobody"] and list(loader.loaded) == ["toy"]


async def test_an_opening_tells_how_far_it_is_and_can_be_stopped(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(name: str, watch: Callable[[int], None], **_: Any) -> Finish:
        for part in count():  # it ends where `watch` raises
            watch(part)

    monkeypatch.setattr(loading, "prepare", endless)
    loader = Loader(device)
    opening = asyncio.ensure_future(loader.model("big"))
    await until(lambda: loader.progress("big"))
    assert not loader.cancel("nobody") and loader.cancel("big")
    with pytest.raises(InvalidRequest, match="opening 'big' was cancelled"):
        await opening
    assert not loader.loaded and not loader.cancel("big")


async def test_models_that_nobody_uses_make_room_the_longest_unused_first(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sized(name: str, room: Callable[[int], None], **_: Any) -> Finish:
        toy = Toy(seed=int(name))
        toy.card = replace(toy.card, size=40)
        room(toy.card.size)
        return lambda: toy

    monkeypatch.setattr(loading, "prepare", sized)
    used: set[Denoiser] = set()
    loader = Loader(device, used.__contains__, budget=100)
    first = await loader.model("1")
    await loader.model("2")
    await loader.model("1")  # asked for again: now the second is the longest unused
    await loader.model("3")
    assert sorted(loader.loaded) == ["1", "3"] and loader.size == 80
    used |= {first, await loader.model("3")}
    with pytest.raises(InvalidRequest, match="models in use hold"):
        await loader.model("4")
    assert sorted(loader.loaded) == ["1", "3"]
    used.clear()
    await loader.model("4")
    assert sorted(loader.loaded) == ["3", "4"]


async def test_running_out_of_memory_is_a_sentence(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(name: str, **_: Any) -> Finish:
        raise MemoryError

    monkeypatch.setattr(loading, "prepare", full)
    with pytest.raises(InvalidRequest, match="not enough free memory for 'big'"):
        await Loader(device).model("big")
