"""A device that is lent by the call: the loan's worker believes what would be believed here, and carries come along."""

from __future__ import annotations

import multiprocessing
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models import forge
from unmask.canvas import blank
from unmask.config import read
from unmask.errors import Refused, Unthinkable
from unmask.features.lenses.attribution import reliance
from unmask.features.lenses.lenses import _timed
from unmask.inference import Recall, think
from unmask.inference.compatibility import influence, likely, price
from unmask.live import zerogpu
from unmask.live.device import Client, Device
from unmask.models import Denoiser
from unmask.models.toy import Toy
from unmask.run.settings import Settings
from unmask.run.spec import Order
from unmask.run.state import State, start
from unmask.run.step import step


def forked(pipe: Any, *order: Any) -> None:
    pipe.send(zerogpu.done(*order))


def in_a_worker(*order: Any) -> bytes:
    """As ZeroGPU does it: a process forked for the call, the order and the answer by pickle."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=forked, args=(there, *order))
    process.start()
    answer: bytes = here.recv()
    process.join(30)
    assert process.exitcode == 0
    return answer


@pytest.mark.parametrize("name", ["LLaDA-8B", "diffusiongemma"])
async def test_a_run_on_loan_is_the_run_here(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / name
    folder.mkdir()
    make: Callable[[Path], Any] = forge.FAMILIES[name]
    make(folder)
    denoiser = zerogpu.opened([what := f"{folder}?number=fp32&device=cpu"])[what]
    monkeypatch.setattr(zerogpu, "_door", lambda: in_a_worker)
    state = Order(prompt="5 6 7", length=16).start(denoiser.card, denoiser.speller)
    device, here, there = Device(thinks=zerogpu.borrowed), state, state
    recall = Recall()
    for _ in range(4):  # a worker each, as when another visitor had the device in between
        (belief,) = think(denoiser, [here], [True], [recall])
        lent, _ = await device.think(Client("a"), denoiser, there, True)
        here, there = step(here, belief)[0], step(there, lent)[0]
        assert here.canvas.tokens.tolist() == there.canvas.tokens.tolist()
    device.close()


def pid_and(denoiser: Denoiser, state: State) -> tuple[int, bool]:
    return os.getpid(), denoiser is next(iter(zerogpu._models.values()))


def breaks(denoiser: Denoiser, error: Exception) -> None:
    raise error


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Denoiser:
    monkeypatch.setattr(zerogpu, "_models", {})
    monkeypatch.setattr(zerogpu, "_door", lambda: in_a_worker)
    zerogpu._models["toy"] = denoiser = Toy()
    return denoiser


async def test_a_question_is_answered_in_the_worker_and_what_names_no_model_here(toy: Denoiser) -> None:
    """Seen on a Space's plan: questions ran in the process that has no GPU."""
    device, state = Device(thinks=zerogpu.borrowed, does=zerogpu.lent), start(blank([[1, 2], 6]), Settings(passes=3))
    process, same = await device.run(partial(pid_and, toy, state))
    assert process != os.getpid() and same
    process, _ = (await device.run(partial(_timed, partial(pid_and, toy, state))))[0]
    assert process != os.getpid()
    opened = []
    assert await device.run(lambda: opened.append(toy)) is None and opened == [toy]  # as a model is opened
    assert await device.run(partial(os.getpid)) == os.getpid()
    device.close()


async def test_every_lens_asks_as_here(toy: Denoiser) -> None:
    """All that a page may ask of a moment, each in a worker of its own."""
    states = [start(blank([[1, 2], 6]), Settings(passes=3, seed=2))]
    states.append(step(states[0], think(toy, states)[0])[0])
    state = states[-1]
    cells = np.flatnonzero(state.canvas.open)
    tokens = think(toy, [state])[0].token
    word = int(np.flatnonzero(state.canvas.answer & ~state.canvas.open)[0])
    for work in (
        partial(influence, toy, state, cells[:2], cells, tokens),
        partial(likely, toy, state, cells, tokens),
        partial(price, toy, state, cells, tokens[cells]),
        partial(reliance, toy, state, word, np.array([0, 1])),
    ):
        np.testing.assert_equal(zerogpu.lent(work), work())


def test_what_refuses_in_the_worker_refuses_here(toy: Denoiser) -> None:
    for error in (Refused("nothing stands here"), Unthinkable("NaN"), MemoryError("full")):
        with pytest.raises(type(error), match=str(error)):
            zerogpu.lent(partial(breaks, toy, error))


def test_questions_of_a_model_are_partials() -> None:
    """A lambda cannot travel: on a lent device it would think where no device is."""
    for file in (Path(zerogpu.__file__).parents[1]).rglob("*.py"):
        for call in re.findall(r"device\.run\(([^)]*)", file.read_text()):
            if "denoiser" in call or "twin" in call or "model" in call:
                assert call.startswith("partial("), f"{file.name}: {call}"


def test_the_door_is_the_hosts_own_decorator_and_changes_nothing_where_nothing_is_lent() -> None:
    """Off ZeroGPU the package hands the function back as it is."""
    zerogpu._door.cache_clear()
    assert zerogpu._door() is zerogpu.done
    assert read({"SPACES_ZERO_GPU": "true"}).zero_gpu and not read({}).zero_gpu
