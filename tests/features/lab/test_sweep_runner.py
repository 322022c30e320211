"""Sweeps as they run, on worlds that can be counted: stopped, gone on with, batched, and equal to runs alone."""

import asyncio
import sys
from collections.abc import Iterator
from math import nan
from threading import Thread

import pytest

from tests.until import until
from unmask.features.lab.points import Results
from unmask.features.lab.sweep import Outcome, Sweep
from unmask.features.lab.sweep_runner import SweepRunner
from unmask.inference.decode import decode
from unmask.live.device import Device
from unmask.models import load
from unmask.run.presets import Decoder
from unmask.run.spec import RunSpec
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

    sweep = Sweep("permutations", WAYS, ("",), tuple(range(120)), 4)

    async def swept() -> SweepRunner:
        runner = SweepRunner(sweep, {"permutations": oracle}, device, "me")
        runner.start()
        await until(lambda: runner.state != "running")
        return runner

    runner = asyncio.run(swept())
    assert runner.state == "done" and len(runner.outcomes) == 360
    one, two, four = Results.of(sweep, runner.results, counted=True).points(["right"])
    assert not one.greedy and one.behind["right"][2] < two.behind["right"][2] < 0  # twice apart, with narrow intervals
    assert four.values["right"][0] == 1.0
    assert one.values["right"][0] == pytest.approx(3 / 32, abs=0.09)
    assert two.values["right"][0] == pytest.approx(3 / 8, abs=0.14)  # two and two


def test_a_sweep_that_was_stopped_goes_on_with_what_is_left_and_equals_runs_alone(device: Device) -> None:
    toy = load("toy")
    warm = Decoder("fast-dllm", {"temperature": 0.7})
    sweep = Sweep("toy", (Decoder("llada", {"passes": 8, "temperature": 0.7}), warm), ("1 2", "3 4 5"), (0, 1, 2), 24)

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


def test_a_decoder_that_draws_nothing_runs_once(device: Device) -> None:
    """A greedy decoder wrote one text with every seed, and each counted as another observation."""
    toy = load("toy")
    shuffled = Decoder("llada", {"policy": "random", "passes": 8})
    sweep = Sweep("toy", (Decoder("llada", {"passes": 8}), shuffled), ("1 2", "3 4 5"), (0, 1, 2), 24)

    async def swept() -> SweepRunner:
        runner = SweepRunner(sweep, {"toy": toy}, device, "me")
        runner.start()
        await until(lambda: runner.state != "running")
        return runner

    runner = asyncio.run(swept())
    assert runner.state == "done" and runner.count == len(runner.outcomes) == 2 * (1 + 3)
    greedy = [one for one in runner.results if not one.draws]
    assert [one.seed for one in greedy] == [0, 0] and len({one.prompt for one in greedy}) == 2
    for order in (RunSpec("1 2", "toy", 24, "llada", {"passes": 8}, seed) for seed in (1, 2)):
        *_, (last, _) = decode(toy, order.start(toy.card, toy.tokenizer))
        assert greedy[0].text == answer_text(toy, last.canvas)  # what was left out would have been the same


def test_progress_is_read_while_another_thread_adds_outcomes(device: Device) -> None:
    """The page asks from a worker thread: "dictionary changed size during iteration" answered with 500."""
    sweep = Sweep("toy", (Decoder("llada", {"passes": 8}),), ("1",), (0, 1), 24)
    runner = SweepRunner(sweep, {"toy": load("toy")}, device, "me")
    outcome = Outcome("llada", "1", 0, "1 2", 2, 8, 1.0, nan, nan, nan, 0.0, 1.0, 1.0)
    adding = Thread(target=lambda: [runner.outcomes.__setitem__(number, outcome) for number in range(200_000)])
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        adding.start()
        while adding.is_alive():
            assert runner.count <= sweep.count and len(runner.results) <= 200_000
    finally:
        adding.join()
        sys.setswitchinterval(before)
