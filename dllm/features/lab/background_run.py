"""A run that nobody watches, in turns with everybody else's and behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator

from unmask.live.device import Client, Device
from unmask.models import Denoiser
from unmask.run.frame import Frame
from unmask.run.state import State
from unmask.run.step import step

WEIGHT = 4.0  # a second of device time counts as so many: who watches goes first


async def unwatched(
    device: Device, denoiser: Denoiser, state: State, visitor: str
) -> AsyncIterator[tuple[State, Frame]]:
    """Pass by pass to the end. Only what the policy reads is thought about."""
    client = Client("unwatched", visitor=f"the Lab of {visitor}", weight=WEIGHT)
    while not state.done:
        belief, _ = await device.think(client, denoiser, state, False)
        state, frame = step(state, belief)
        yield state, frame
