"""A model that misbehaves: it ends its own run with a sentence, and nobody else's."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence

import numpy as np
import pytest

from tests.support import begin, ending
from tests.until import LONG, until
from unmask.errors import InvalidRequest, ModelError
from unmask.inference import infer
from unmask.live import loader as loading
from unmask.live.device import Client, Device
from unmask.live.loader import Loader
from unmask.live.request import Exited
from unmask.models import ModelInput
from unmask.models.toy import Toy
from unmask.run.command import Play
from unmask.run.event import Done
from unmask.run.spec import RunSpec
from unmask.serve.runtime import Runtime


class Odd(Toy):
    """A toy that does something else with what it would say."""

    def __init__(self, twist: Callable[[np.ndarray], np.ndarray]) -> None:
        super().__init__()
        self.twist = twist

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[np.ndarray]:
        return [self.twist(table) for table in super().logits(model_inputs)]


def leave(_: np.ndarray) -> np.ndarray:
    raise SystemExit(3)


@pytest.fixture
async def device() -> AsyncIterator[Device]:
    made = Device()
    yield made
    made.close()


@pytest.mark.parametrize(
    "twist", [lambda x: x[:, :-3], lambda x: np.concatenate([x, x], 1), lambda x: x[:-1], lambda x: x[0]]
)
def test_rows_of_a_wrong_width_are_refused(twist: Callable[[np.ndarray], np.ndarray]) -> None:
    """They were once accepted, and tokens were names of nothing."""
    with pytest.raises(ModelError, match="instead of"):
        infer(Odd(twist), [begin()])


async def test_after_an_exit_in_a_model_the_device_still_answers(device: Device) -> None:
    """SystemExit once ended the device's thread: nothing was answered any more."""
    with pytest.raises(Exited):
        await device.infer(Client("a"), Odd(leave), begin(), False)
    with pytest.raises(Exited):
        await device.run(lambda: leave(np.zeros(1)))
    async with asyncio.timeout(LONG):
        await device.infer(Client("b"), Toy(), begin(), False)


async def test_batch_mates_of_one_that_exits_end_as_alone(device: Device) -> None:
    class Sometimes(Toy):
        def logits(self, model_inputs: Sequence[ModelInput]) -> list[np.ndarray]:
            if any(t.tokens[0] == 9 for t in model_inputs):
                raise SystemExit
            return super().logits(model_inputs)

    toy = Sometimes()
    together = threading.Event()
    gate = asyncio.ensure_future(device.run(lambda: together.wait(LONG)))
    states = [begin(prompt=[first, 1, 2], passes=1, cells=4) for first in (3, 9, 4)]
    thinking = [asyncio.ensure_future(device.infer(Client(str(i)), toy, s, False)) for i, s in enumerate(states)]
    await until(lambda: device.waiting == 3)
    together.set()
    answers = await asyncio.gather(*thinking, return_exceptions=True)
    await gate
    assert isinstance(answers[1], Exited)
    for answer, state in ((answers[0], states[0]), (answers[2], states[2])):
        assert not isinstance(answer, BaseException)
        assert answer[0].token[state.canvas.open].tolist() == ending(Toy(), state)[3:]


async def test_a_run_whose_model_exits_is_told_and_others_go_on() -> None:
    runtime = Runtime()
    ends = []
    for toy in (Odd(leave), Toy()):
        session = await runtime.open(toy, RunSpec("1 2", "toy", 8))
        reader = session.subscribe(0)
        session.send(Play())
        async with asyncio.timeout(LONG):
            while not isinstance(event := (await reader.get()).event, Done):
                pass
        ends.append(event.failed)
    assert ends[0] and not ends[1]
    await runtime.close()


async def test_a_family_that_exits_while_it_opens_is_refused(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exit that a task carries would end the loop, and with it the server."""

    def read(name: str, **options: object) -> object:
        raise SystemExit(1)

    monkeypatch.setattr(loading, "prepare", read)
    with pytest.raises(InvalidRequest, match="cannot be opened here"):
        await Loader(device).model("toy")


async def test_what_went_wrong_is_in_the_log_and_not_with_the_visitor(
    device: Device, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Texts of exceptions, with folders of the server in them, once reached visitors."""

    def read(name: str, **options: object) -> object:
        raise OSError("no such file: /srv/secret/weights.bin")

    monkeypatch.setattr(loading, "prepare", read)
    with pytest.raises(InvalidRequest) as caught:
        await Loader(device).model("toy")
    assert "secret" not in str(caught.value) and "/srv/secret/weights.bin" in caplog.text
