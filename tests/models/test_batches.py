"""Sessions of one length share forwards where that is exact, and get the tokens of their solo runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.long import grown
from tests.models.forge import Forged
from unmask.canvas import blank
from unmask.inference.decode import decode
from unmask.live.device import Client, Device
from unmask.models import load
from unmask.models.hub import selftest
from unmask.models.hub.adapter import Masked
from unmask.run.settings import Settings
from unmask.run.spec import RunSpec
from unmask.run.state import State, start
from unmask.run.step import step

SESSIONS = 8


def beginnings(passes: int) -> list[State]:
    """Eight runs of one length, each with a prompt and a seed of its own."""
    settings = [Settings(policy="confidence", passes=passes, temperature=0.7, seed=seed) for seed in range(SESSIONS)]
    return [start(blank([[20 + s.seed, 40, 60 + s.seed], 21]), s) for s in settings]


async def through(device: Device, denoiser: Masked, state: State) -> list[int]:
    client = Client(str(state.settings.seed))
    device.join(client)
    while not state.done:
        belief, _ = await device.infer(client, denoiser, state, False)
        state, _ = step(state, belief)
    return state.canvas.tokens.tolist()


@pytest.mark.parametrize(
    "number, passes",
    [("fp32", 4), ("int8", 4), *grown(("bf16", 2), ("bf16", 4))],
)
async def test_eight_sessions_of_one_length_take_fewer_forwards_than_eight(number: str, passes: int) -> None:
    """In half the bits torch runs, whose batches may differ from their rows alone: nothing is shared."""
    denoiser: Any = load("denoiser", number=number)
    solo = [list(decode(denoiser, state))[-1][0].canvas.tokens.tolist() for state in beginnings(passes)]
    denoiser.forwards = 0
    device = Device()
    try:
        together = await asyncio.gather(*(through(device, denoiser, state) for state in beginnings(passes)))
    finally:
        device.close()
    assert together == solo
    assert denoiser.shares == (number != "bf16")
    if denoiser.shares:
        assert denoiser.forwards < SESSIONS * passes // 2
    else:
        assert denoiser.forwards == SESSIONS * passes


def test_where_one_and_many_rows_differ_nothing_is_batched() -> None:
    denoiser: Any = load("denoiser")
    network = denoiser.network.logits
    denoiser.network.logits = lambda ids, rows, *more: network(ids, rows, *more) + 1e-6 * len(ids)
    assert not selftest.batches_exactly(denoiser, 16)


@pytest.mark.parametrize(
    "name", ["denoiser", "LLaDA-8B", "SDAR-4B", "WeDLM-8B", "diffusiongemma", "mdlm-owt", "bert-base"]
)
def test_a_load_beside_a_run_changes_no_numbers(forged: Callable[[str], Forged], name: str) -> None:
    """While a model is built in half the bits, the library makes them every thread's default."""
    denoiser = load("denoiser") if name == "denoiser" else load(str(forged(name).folder), number="fp32", device="cpu")
    spec = RunSpec(prompt="", length=12, changes={"temperature": 0.5})
    first = start(blank([[5, 6, 7], 12]), spec.settings(denoiser.card, 12))
    alone = [state.canvas.tokens.tolist() for state, _ in decode(denoiser, first)]
    denoiser.clear_caches()
    torch.set_default_dtype(torch.bfloat16)
    try:
        beside = [state.canvas.tokens.tolist() for state, _ in decode(denoiser, first)]
    finally:
        torch.set_default_dtype(torch.float32)
    assert beside == alone
