"""The stage that tests of sessions play on."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.live.stage import Stage


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    yield stage
    await asyncio.wait_for(stage.table.shut(), 60)
    await asyncio.to_thread(stage.device.close)
