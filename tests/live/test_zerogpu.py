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
from unmask.config import parse_environment
from unmask.errors import InvalidRequest, ModelError
from unmask.inference import DistributionCache, infer
from unmask.inference.compatibility import log_likelihoods, pairwise_effects, parallel_cost
from unmask.live import zerogpu
from unmask.live.device import Client, Device
from unmask.models import Denoiser
from unmask.models.toy import Toy
from unmask.run.settings import Settings
from unmask.run.spec import RunSpec
from unmask.run.state import State, start
from unmask.run.step import step


def forked(pipe: Any, *spec: Any) -> None:
    pipe.send(zerogpu.run_in_worker(*spec))


def in_a_worker(*spec: Any) -> bytes:
    """As ZeroGPU does it: a process forked for the call, the order and the answer by pickle."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=forked, args=(there, *spec))
    process.start()
    answer: bytes = here.recv()
    process.join(30)
    assert process.exitcode == 0
    return answer


@pytest.mark.parametrize("name", ["LLaDA-8B", "diffusiongemma"])
async def test_a_run_on_zerogpu_is_the_run_here(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / name
    folder.mkdir()
    make: Callable[[Path], Any] = forge.FAMILIES[name]
    make(folder)
    denoiser = zerogpu.load_models([what := f"{folder}?number=fp32&device=cpu"])[what]
    monkeypatch.setattr(zerogpu, "_gpu_call", lambda: in_a_worker)
    state = RunSpec(prompt="5 6 7", length=16).start(denoiser.card, denoiser.tokenizer)
    device, here, there = Device(infer_batch=zerogpu.infer_on_gpu), state, state
    distribution_cache = DistributionCache()
    for _ in range(4):  # a worker each, as when another visitor had the device in between
        (belief,) = infer(denoiser, [here], [True], [distribution_cache])
        remote, _ = await device.infer(Client("a"), denoiser, there, True)
        here, there = step(here, belief)[0], step(there, remote)[0]
        assert here.canvas.tokens.tolist() == there.canvas.tokens.tolist()
    device.close()


def pid_and(denoiser: Denoiser, state: State) -> tuple[int, bool]:
    return os.getpid(), denoiser is next(iter(zerogpu._models.values()))


def breaks(denoiser: Denoiser, error: Exception) -> None:
    raise error


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Denoiser:
    monkeypatch.setattr(zerogpu, "_models", {})
    monkeypatch.setattr(zerogpu, "_gpu_call", lambda: in_a_worker)
    zerogpu._models["toy"] = denoiser = Toy()
    return denoiser


async def test_a_question_is_answered_in_the_worker_and_what_names_no_model_here(toy: Denoiser) -> None:
    """Seen on a Space's plan: questions ran in the process that has no GPU."""
    device, state = (
        Device(infer_batch=zerogpu.infer_on_gpu, run_job=zerogpu.run_on_gpu),
        start(blank([[1, 2], 6]), Settings(passes=3)),
    )
    process, same = await device.run(partial(pid_and, toy, state))
    assert process != os.getpid() and same
    opened = []
    assert await device.run(lambda: opened.append(toy)) is None and opened == [toy]  # as a model is opened
    assert await device.run(partial(os.getpid)) == os.getpid()
    device.close()


async def test_every_lens_asks_as_here(toy: Denoiser) -> None:
    """All that a page may ask of a moment, each in a worker of its own."""
    states = [start(blank([[1, 2], 6]), Settings(passes=3, seed=2))]
    states.append(step(states[0], infer(toy, states)[0])[0])
    state = states[-1]
    cells = np.flatnonzero(state.canvas.open)
    tokens = infer(toy, [state])[0].token
    for work in (
        partial(pairwise_effects, toy, state, cells[:2], cells, tokens),
        partial(log_likelihoods, toy, state, cells, tokens),
        partial(parallel_cost, toy, state, cells, tokens[cells]),
    ):
        np.testing.assert_equal(zerogpu.run_on_gpu(work), work())


def test_what_refuses_in_the_worker_refuses_here(toy: Denoiser) -> None:
    for error in (InvalidRequest("nothing stands here"), ModelError("NaN"), MemoryError("full")):
        with pytest.raises(type(error), match=str(error)):
            zerogpu.run_on_gpu(partial(breaks, toy, error))


def test_questions_of_a_model_are_partials() -> None:
    """A lambda cannot travel: on a lent device it would think where no device is."""
    for file in (Path(zerogpu.__file__).parents[1]).rglob("*.py"):
        for call in re.findall(r"device\.run\(([^)]*)", file.read_text()):
            if "denoiser" in call or "twin" in call or "model" in call:
                assert call.strip().startswith("partial("), f"{file.name}: {call}"


def test_the_door_is_the_hosts_own_decorator_and_changes_nothing_where_nothing_is_remote() -> None:
    """Off ZeroGPU the package hands the function back as it is."""
    zerogpu._gpu_call.cache_clear()
    assert zerogpu._gpu_call() is zerogpu.run_in_worker
    assert parse_environment({"SPACES_ZERO_GPU": "true"}).zero_gpu and not parse_environment({}).zero_gpu
