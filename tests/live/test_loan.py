"""A device that is lent by the call: the loan's worker believes what would be believed here, and carries come along."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dllm.config import read
from dllm.live import loan
from dllm.live.device import Client, Device
from dllm.run.order import Order
from dllm.run.step import step
from dllm.think import Recall, think
from tests.models import forge


def forked(pipe: Any, *order: Any) -> None:
    pipe.send(loan.thought(*order))


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
    denoiser = loan.opened([what := f"{folder}?number=fp32&device=cpu"])[what]
    monkeypatch.setattr(loan, "_door", lambda: in_a_worker)
    state = Order(prompt="5 6 7", length=16).start(denoiser.card, denoiser.speller)
    device, here, there = Device(thinks=loan.borrowed), state, state
    recall = Recall()
    for _ in range(4):  # a worker each, as when another visitor had the device in between
        (belief,) = think(denoiser, [here], [True], [recall])
        lent, _ = await device.think(Client("a"), denoiser, there, True)
        here, there = step(here, belief)[0], step(there, lent)[0]
        assert here.canvas.tokens.tolist() == there.canvas.tokens.tolist()
    device.close()


def test_the_door_is_the_hosts_own_decorator_and_changes_nothing_where_nothing_is_lent() -> None:
    """Off ZeroGPU the package hands the function back as it is."""
    loan._door.cache_clear()
    assert loan._door() is loan.thought
    assert read({"SPACES_ZERO_GPU": "true"}).zero_gpu and not read({}).zero_gpu
