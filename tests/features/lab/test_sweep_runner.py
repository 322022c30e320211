"""Sweeps as they run, on worlds that can be counted: stopped, gone on with, batched, and equal to runs alone."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.until import until
from unmask.features.lab.sweep import Sweep, points
from unmask.features.lab.sweep_runner import SweepRunner
from unmask.inference.decode import decode
from unmask.live.device import Device
from unmask.models import load
from unmask.run.presets import Decoder
from unmask.run.stats import answer_text

HOT = {"temperature": 1.0, "policy": "confidence", "block": 0}
WAYS = tuple(Decoder("llada", HOT | {"passes": passes}) for passes in (1, 2, 4))


@pytest.fixture
def device() -> Iterator[Device]:
    device = Device()
    yield device
    device.close()


def test_more_passes_make_more_permutations_right_as_counted(device: Device) -> None:
    """One pass writes one in 3/32, four passes all: the sweep finds the shares that counting gives."""
    oracle = load("permutations")

    async def swept() -> SweepRunner:
        sweep = Sweep("permutations", WAYS, ("",), tuple(range(120)), 4)
        runner = SweepRunner(sweep, {"permutations": oracle}, device, "me")
        runner.start()
        await until(lambda: runner.state != "running")
        return runner

    runner = asyncio.run(swept())
    assert runner.state == "done" and len(runner.outcomes) == 360
    one, two, four = points(runner.results)
    assert four.values["right"][0] == 1.0
    assert one.values["right"][0] == pytest.approx(3 / 32, abs=0.09)
    assert two.values["right"][0] == pytest.approx(3 / 8, abs=0.14)  # two and two


def test_a_sweep_that_was_stopped_goes_on_with_what_is_left_and_equals_runs_alone(device: Device) -> None:
    toy = load("toy")
    sweep = Sweep("toy", (Decoder("llada", {"passes": 8}), Decoder("fast-dllm")), ("1 2", "3 4 5"), (0, 1, 2), 24)

    async def swept() -> tuple[int, SweepRunner]:
        runner = SweepRunner(sweep, {"toy": toy}, device, "me")
        runner.start()
        await until(lambda: len(runner.outcomes) >= 3)
        await runner.stop()
        stood = len(runner.outcomes)
        assert runner.state == "stopped" and stood < sweep.count
        kept = dict(runner.outcomes)
        runner.start()
        await until(lambda: runner.state != "running")
        assert all(runner.outcomes[i] is one for i, one in kept.items())  # nothing is done twice
        return stood, runner

    stood, runner = asyncio.run(swept())
    assert 3 <= stood < sweep.count == len(runner.outcomes)
    for number, _, order in sweep.specs():
        *_, (last, _) = decode(toy, order.start(toy.card, toy.tokenizer))
        assert runner.outcomes[number].text == answer_text(toy, last.canvas)
