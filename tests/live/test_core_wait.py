"""A run that had to wait for a core says that its times are not its own."""

import pytest

from tests.support import begin
from unmask.live import device as live_device
from unmask.live.core_wait import core_wait, is_crowded
from unmask.live.device import Client, Device
from unmask.models.toy import Toy


def test_waiting_is_counted_and_never_falls() -> None:
    first = core_wait()
    assert 0 <= first <= core_wait()


@pytest.mark.parametrize(
    ("waited", "clock", "crowded"),
    [(0, 0, False), (0.01, 0.02, False), (0.03, 0.06, True), (0.1, 0.54, False), (0.3, 1.0, True)],
)
def test_a_moment_is_nothing_and_a_quarter_is_too_much(waited: float, clock: float, crowded: bool) -> None:
    assert is_crowded(waited, clock) == crowded


@pytest.mark.parametrize(("each", "shared"), [(0.0, False), (10.0, True)])
async def test_a_run_beside_other_programs_is_marked(
    monkeypatch: pytest.MonkeyPatch, each: float, shared: bool
) -> None:
    seconds = 0.0

    def waited() -> float:
        nonlocal seconds
        seconds += each
        return seconds

    monkeypatch.setattr(live_device, "core_wait", waited)
    device, client = Device(), Client("one")
    await device.infer(client, Toy(), begin(), False)
    assert (client.shared, client.core_wait) == (shared, each)
    device.close()
