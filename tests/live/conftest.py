"""The stage that tests of sessions play on."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.live.stage import Stage


@pytest.fixture(autouse=True)
def quiet_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other programs on the machine mark no run: what is tested here is what runs do to each other."""
    monkeypatch.setattr("unmask.live.device.core_wait", lambda: 0.0)


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    yield stage
    await asyncio.wait_for(stage.table.shut(), 60)
    await asyncio.to_thread(stage.device.close)
